import { readFileSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Slow files first, so that no worker is left alone with one at the end. A fresh clone has no durations of an earlier run: a
 * file is taken to be as slow as the longest time limit it sets, then as it is long.
 */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const weighed = files.map((file) => ({ file, weight: weightOf(readFileSync(file.moduleId, 'utf8')) }));
    return weighed.toSorted((left, right) => right.weight - left.weight).map(({ file }) => file);
  }
}

/** In milliseconds, roughly. */
function weightOf(text: string): number {
  const limits = [...text.matchAll(/\b\d{2,3}_000\b/g)].map(([limit]) => Number(limit.replace('_', '')));
  return Math.max(0, ...limits) + text.length / 10;
}
