import type { AccountId, CallId } from '@uar/contracts';
import { principalKey } from '../account/account-keys.js';

/** A bearer token that a caller came with. */
export interface CallerToken {
  readonly token: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** The tokens of callers, each for as long as its call runs: what is exchanged for tokens of upstreams (RFC 8693). */
export class CallerTokens {
  private readonly held = new Map<string, Map<CallId, CallerToken>>();

  constructor(private readonly now: () => number) {}

  /** Until the returned function is called. */
  hold(account: AccountId, callId: CallId, token: CallerToken): () => void {
    const key = principalKey(account);
    const calls = this.held.get(key) ?? new Map<CallId, CallerToken>();
    this.held.set(key, calls.set(callId, token));
    return () => {
      calls.delete(callId);
      if (calls.size === 0 && this.held.get(key) === calls) this.held.delete(key);
    };
  }

  /** That of the call and of no other; of what is part of no call, the one that is good for longest. */
  of(account: AccountId, callId: CallId | undefined): CallerToken | undefined {
    const calls = this.held.get(principalKey(account));
    const own = callId === undefined ? longest(calls?.values() ?? []) : calls?.get(callId);
    return own !== undefined && own.expiresAt > this.now() ? own : undefined;
  }
}

function longest(tokens: Iterable<CallerToken>): CallerToken | undefined {
  return [...tokens].reduce<CallerToken | undefined>(
    (best, token) => (best === undefined || token.expiresAt > best.expiresAt ? token : best),
    undefined,
  );
}
