import type { AttemptEnd } from '@uar/contracts';

/** What came of one attempt to send. */
export type Reception =
  | { readonly kind: 'answered'; readonly status: number; readonly retryAfter?: string }
  /** No answer: refused, broken off, or not within the deadline. */
  | { readonly kind: 'failed'; readonly problem: string };

const mostAttempts = 10;
const firstDelayMs = 1_000;
const growth = 3;
const longestDelayMs = 15 * 60_000;

/**
 * Any 2xx delivers. A 4xx means that the receiver will not have it, now or later, but for 408 and 429; everything else,
 * redirects included, is tried again: ten attempts over about an hour. `chance` is in [0, 1).
 */
export function attemptEnd(
  reception: Reception,
  { attempts, now, chance }: { readonly attempts: number; readonly now: number; readonly chance: number },
): AttemptEnd {
  if (reception.kind === 'answered' && reception.status >= 200 && reception.status <= 299)
    return { kind: 'delivered' };
  const problem = reception.kind === 'failed' ? reception.problem : `answered ${reception.status}`;
  if (isFinal(reception) || attempts >= mostAttempts) return { kind: 'dead', problem };
  const asked = reception.kind === 'answered' ? askedDelayMs(reception.retryAfter, now) : 0;
  const at = now + Math.max(delayMs(attempts, chance), asked);
  return { kind: 'again', at, problem };
}

function isFinal(reception: Reception): boolean {
  if (reception.kind === 'failed') return false;
  const { status } = reception;
  return status >= 400 && status <= 499 && status !== 408 && status !== 429;
}

/** 1 s, 3 s, 9 s ... 15 min, each a fifth shorter or longer, so that many messages do not come back at once. */
function delayMs(attempts: number, chance: number): number {
  const planned = Math.min(firstDelayMs * growth ** (attempts - 1), longestDelayMs);
  return Math.round(planned * (0.8 + 0.4 * chance));
}

/** RFC 9110 10.2.3: seconds or a date; never longer than our own longest delay. */
function askedDelayMs(retryAfter: string | undefined, now: number): number {
  if (retryAfter === undefined) return 0;
  const text = retryAfter.trim();
  const asked = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now;
  return Number.isFinite(asked) ? Math.min(Math.max(0, asked), longestDelayMs) : 0;
}
