import type { CallQuestion, ProfileName } from '@uar/contracts';
import type { DenialCause, Judged, Votes } from '../decide/verdict.js';
import type { PolicySet } from '../policy/policy-set.js';
import type { DirectoryFacts } from './directory-facts.js';

/** A decision and all it rested on, as it was made. */
export interface DecisionNote {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly question: CallQuestion;
  readonly profile: ProfileName;
  /** Absent: none was loaded. */
  readonly set: PolicySet | undefined;
  readonly directory: DirectoryFacts;
  readonly judged: Judged;
  /** Absent: the first decision about the call. */
  readonly votes?: Votes;
}

/** Whoever wants to know of decisions. Told after the decision; neither slows nor fails it. */
export interface DecisionListener {
  take(note: DecisionNote): void;
}

const undecided: ReadonlySet<string> = new Set<DenialCause>([
  'engine_failed',
  'engine_timeout',
  'engine_overloaded',
  'engine_unavailable',
  'not_asked',
  'policies_unavailable',
  'digest_mismatch',
]);

/** Some policy, or the lack of one, had a part in it: not what befell the engine. */
export function isDecided(verdict: { readonly kind: string; readonly cause?: string }): boolean {
  return verdict.cause === undefined || !undecided.has(verdict.cause);
}
