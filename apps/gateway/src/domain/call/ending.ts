import type { Outcome } from '@uar/contracts';
import type { Unavailable } from './ports.js';
import type { UpstreamError } from './proposed-call.js';

/** How a call ends, as the stage that ended it knows it. */
export interface Ending {
  readonly outcome: Outcome;
  /** For receipts only. */
  readonly cause?: string;
  readonly resultJson?: string;
  readonly details?: unknown;
  readonly upstreamError?: UpstreamError;
  readonly retryAfterMs?: number;
  readonly faultId?: string;
}

/** A stage passes the call on with what it found, or ends it. */
export type Passed<T> =
  { readonly kind: 'passed'; readonly value: T } | { readonly kind: 'over'; readonly ending: Ending };

export function passed<T>(value: T): Passed<T> {
  return { kind: 'passed', value };
}

export function over(outcome: Outcome, facts: Omit<Ending, 'outcome'> = {}): Passed<never> {
  return { kind: 'over', ending: { outcome, ...facts } };
}

/** This gateway was taken for gone, and its call has the outcome that such calls are given (ADR 35). Nothing is dispatched. */
export function endedInOurPlace(): Passed<never> {
  return over('transport_failure', { cause: 'ended_in_its_place' });
}

export function missing({ cause }: Unavailable): Passed<never> {
  return over('unavailable', { cause });
}
