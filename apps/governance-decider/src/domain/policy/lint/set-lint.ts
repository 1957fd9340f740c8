import type { PolicySet } from '../policy-set.js';
import { unknownNames } from './catalog-names.js';
import { dodgedForbids } from './arguments/dodge-lint.js';
import { KnownTools } from './known-tools.js';
import { PointerLint } from './arguments/pointer-lint.js';
import { PolicyText } from './policy-text.js';
import type { PolicyProblem } from './problem.js';
import type { ToolSchema } from './tool-schema.js';

/** What is wrong with policies that each parse: against one another, and against the catalog where that is known. */
export function findingsOfSet(
  set: PolicySet,
  texts: Readonly<Record<string, string>>,
  tools: readonly ToolSchema[] | undefined,
): readonly PolicyProblem[] {
  const ofSet = dodgedForbids(set, texts);
  if (tools === undefined) return ofSet;
  const known = KnownTools.of(tools);
  const pointers = new PointerLint(known);
  const ofCatalog = set.policies.flatMap(({ id, json }) => {
    const read = { json, text: new PolicyText(texts[id] ?? '') };
    return [...unknownNames(id, read, known), ...pointers.problemsOf(id, read)];
  });
  return [...ofSet, ...ofCatalog];
}
