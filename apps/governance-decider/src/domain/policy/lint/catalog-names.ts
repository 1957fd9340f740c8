import { nearest } from '@uar/nearest';
import type { PolicyJson } from '../policy-json.js';
import { entitiesIn } from './expressions.js';
import type { KnownTools } from './known-tools.js';
import type { PolicyText } from './policy-text.js';
import type { PolicyProblem } from './problem.js';

/** What the catalog has ids for, and how a policy's author calls it. */
const kinds: Readonly<Record<string, string>> = {
  'UAR::Tool': 'tool',
  'UAR::Server': 'server',
  'UAR::Family': 'family of a tool',
  'UAR::Label': 'label of a tool',
};

/** Names that no tool of the live catalog bears: a slip, or a tool that is not there yet. */
export function unknownNames(
  policy: string,
  read: { readonly json: PolicyJson; readonly text: PolicyText },
  tools: KnownTools,
): readonly PolicyProblem[] {
  const seen = new Set<string>();
  return entitiesIn(read.json).flatMap(({ type, id }): PolicyProblem[] => {
    const kind = kinds[type];
    if (kind === undefined || tools.has(type, id) || seen.has(`${type} ${id}`)) return [];
    seen.add(`${type} ${id}`);
    const suggestion = nearest(id, tools.ids(type));
    return [
      {
        ...{ policy, message: `no ${kind} "${id}" in the catalog now`, severity: 'warning' },
        ...read.text.entity(type, id),
        ...(suggestion === undefined ? {} : { suggestion }),
      },
    ];
  });
}
