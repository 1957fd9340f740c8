import type { PolicySet } from '../policy-set.js';
import { unknownNames } from './catalog-names.js';
import { KnownTools } from './known-tools.js';
import { unknownPointers } from './pointer-lint.js';
import { PolicyText } from './policy-text.js';
import type { PolicyProblem } from './problem.js';
import type { ToolSchema } from './tool-schema.js';

/** What is wrong with policies that each parse, where the live catalog is known: names and argument pointers. */
export function lintAgainstCatalog(
  set: PolicySet,
  texts: Readonly<Record<string, string>>,
  tools: readonly ToolSchema[],
): readonly PolicyProblem[] {
  const known = new KnownTools(tools);
  return set.policies.flatMap(({ id, json }) => {
    const text = new PolicyText(texts[id] ?? '');
    const read = { json, text };
    return [...unknownNames(id, read, known), ...unknownPointers(id, read, known)];
  });
}
