import { problemText } from '../policy/lint/problem.js';
import type { PolicySet } from '../policy/policy-set.js';
import type { Rehearsed, SetProblem } from './rehearsals.js';
import type { WantedSet } from './wanted.js';

export interface ActiveSet {
  readonly set: PolicySet;
  readonly wanted: WantedSet;
  readonly warnings: readonly SetProblem[];
}

/** Where a tenant's set stands. Without `active` nothing is allowed. */
export interface Standing {
  readonly active?: ActiveSet;
  /** What is wanted now, in force or not; absent before anything could be read. */
  readonly wanted?: WantedSet;
  /** What keeps it from being in force. */
  readonly problems: readonly SetProblem[];
  /** What can be done where nothing is in force. */
  readonly wayOut?: string;
}

/** Why a rehearsed set is not put in force; `failure`: of the engine. */
export function problemsOf(found: Rehearsed | undefined, failure: string | undefined): readonly SetProblem[] {
  if (found?.kind === 'refused') return found.problems;
  if (failure !== undefined) return [{ message: failure, severity: 'error' }];
  return found === undefined ? [{ message: 'was not checked', severity: 'error' }] : [];
}

/** One line for logs, probes and command lines. */
export function summary(problems: readonly SetProblem[]): string {
  const [first, ...more] = problems;
  if (first === undefined) return 'not loaded';
  return more.length === 0 ? problemText(first) : `${problemText(first)} (and ${more.length} more)`;
}
