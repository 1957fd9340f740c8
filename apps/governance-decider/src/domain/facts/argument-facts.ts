import type { ToolFacts } from '@uar/contracts';
import { fillBags, type Bags } from './bags.js';
import { extractFacts, type FactName, type Facts } from './extract.js';
import { readLeaves } from './leaves.js';

export type ArgumentFacts =
  | { readonly kind: 'read'; readonly bags: Bags; readonly facts: Facts }
  /** Not strict JSON, not an object, or beyond the bounds: nobody decides about it, it is refused. */
  | { readonly kind: 'rejected'; readonly problem: string };

/** Whoever knows the facts of arguments: their text read, or what was recorded of it. */
export type ArgumentReader = (
  argumentText: string,
  extractors: ToolFacts['extractors'],
  factsRead: ReadonlySet<FactName>,
) => ArgumentFacts;

export function readArguments(
  argumentText: string,
  extractors: ToolFacts['extractors'],
  factsRead: ReadonlySet<FactName>,
): ArgumentFacts {
  const read = readLeaves(argumentText);
  if (read.kind === 'rejected') return read;
  return {
    kind: 'read',
    bags: fillBags(read.leaves),
    facts: extractFacts(read.leaves, extractors, factsRead),
  };
}
