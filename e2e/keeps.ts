import { it } from 'vitest';
import { requirements, type RequirementId } from './requirements.js';

/** A test that keeps promises of `requirements.ts`: a misspelled id does not compile, an unkept one fails the coverage test. */
export function keeps(
  ids: readonly RequirementId[],
  sentence: string,
  ...[body, ms]: [body: () => Promise<void>, ms?: number]
): void {
  const sources = ids.map((id) => `${id} (${requirements[id].source})`).join(', ');
  it(`${sentence} -- ${sources}`, body, ms);
}
