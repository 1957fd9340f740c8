import type { AccountId, CallId } from '@uar/contracts';
import type { Clock } from '../clock.js';
import type { ExpandedServer } from '../upstream.js';
import type { Token } from '../account/bearer.js';
import type { CallerToken, CallerTokens } from './caller-tokens.js';
import { FreshRefusals } from '../account/fresh-refusals.js';
import { digestOf, renewTimeOf, type Credentials } from '../account/credentials.js';
import type { AuthorizationServers, Granted, Hints } from '../account/ports.js';

export interface ExchangeParts {
  readonly callers: CallerTokens;
  readonly servers: Pick<AuthorizationServers, 'exchange'>;
  readonly clock: Pick<Clock, 'now'>;
  /** Nothing was got; the message repeats no token. */
  readonly onNotExchanged: (account: AccountId, message: string) => void;
}

export interface ExchangeOf {
  readonly server: ExpandedServer;
  readonly callId: CallId | undefined;
}

/** What the token of one caller was exchanged for. */
interface Exchanged {
  readonly credentials: Credentials;
  /** Epoch milliseconds. */
  readonly renewAt: number;
  readonly endsAt: number;
}

/** A principal comes with a new token now and then; further ones are forgotten, the oldest first. */
const mostTokens = 16;
/** Milliseconds. So long a failure stands for those who come after it. */
const failureMs = 2_000;

const callerTokenMissing: Token = {
  kind: 'auth_required',
  message: 'the call came without a token of its caller that is still good',
  missing: 'caller_token_missing',
};

/**
 * The tokens of one principal at one upstream, each from the token that a caller came with (RFC 8693) and used for calls with
 * that token alone: one that permits more is not lent to another. In memory only.
 */
export class ExchangedTokens {
  private readonly exchanged = new Map<string, Exchanged>();
  private readonly exchanging = new Map<string, Promise<Token>>();
  private readonly refusals = new Map<string, FreshRefusals>();
  private readonly failures = new Map<string, { readonly token: Token; readonly until: number }>();

  constructor(
    private readonly account: AccountId,
    private readonly parts: ExchangeParts,
  ) {}

  secrets(): readonly string[] {
    return [...this.exchanged.values()].map(({ credentials }) => credentials.access_token);
  }

  async token({ server, callId }: ExchangeOf): Promise<Token> {
    const caller = this.parts.callers.of(this.account, callId);
    if (caller === undefined) return this.withoutCaller(callId);
    const now = this.parts.clock.now();
    const known = this.exchanged.get(digestOf(caller.token));
    if (known !== undefined && known.renewAt > now) return tokenOf(known);
    const next = await this.exchange(server, caller, {});
    const isMissing = next.kind === 'unavailable' && known !== undefined && known.endsAt > now;
    return isMissing ? tokenOf(known) : next;
  }

  async renew(refused: string | undefined, hints: Hints, { server, callId }: ExchangeOf): Promise<Token> {
    const caller = this.parts.callers.of(this.account, callId);
    if (caller === undefined) return callerTokenMissing;
    const known = this.exchanged.get(digestOf(caller.token));
    if (known !== undefined && known.credentials.access_token !== refused) return tokenOf(known);
    const standing = this.refusals.get(digestOf(caller.token))?.standing;
    if (standing !== undefined) return { kind: 'auth_required', message: standing };
    return await this.exchange(server, caller, hints);
  }

  /** How the upstream took the token that was got for the call: undefined, or why it refused one that was just got. */
  heard(refusal: string | undefined, callId: CallId | undefined): void {
    if (refusal === undefined && this.refusals.size === 0) return;
    const caller = this.parts.callers.of(this.account, callId);
    if (caller === undefined) return;
    const key = digestOf(caller.token);
    const refusals = this.refusals.get(key) ?? new FreshRefusals(() => this.parts.clock.now());
    if (refusal === undefined) refusals.forget();
    else refusals.refused(refusal);
    keep(this.refusals, key, refusals);
  }

  /** What is part of no call goes on with what is good: a standing stream outlives the call that opened it. */
  private withoutCaller(callId: CallId | undefined): Token {
    const now = this.parts.clock.now();
    const good = [...this.exchanged.values()].filter(({ endsAt }) => endsAt > now).at(-1);
    return callId === undefined && good !== undefined ? tokenOf(good) : callerTokenMissing;
  }

  /** Once, however many calls with the same token wait for it. */
  private exchange(server: ExpandedServer, caller: CallerToken, hints: Hints): Promise<Token> {
    const key = digestOf(caller.token);
    const failure = this.failures.get(key);
    if (failure !== undefined && failure.until > this.parts.clock.now())
      return Promise.resolve(failure.token);
    const running = this.exchanging.get(key);
    if (running !== undefined) return running;
    const exchanging = this.parts.servers
      .exchange(server, caller.token, hints)
      .then((granted) => this.settle(key, granted, caller))
      .finally(() => this.exchanging.delete(key));
    this.exchanging.set(key, exchanging);
    return exchanging;
  }

  private settle(key: string, granted: Granted, caller: CallerToken): Token {
    const now = this.parts.clock.now();
    this.failures.delete(key);
    if (granted.kind !== 'granted') {
      this.parts.onNotExchanged(this.account, granted.message);
      const token = failed(granted);
      keep(this.failures, key, { token, until: now + failureMs });
      return token;
    }
    const { credentials } = granted;
    const endsAt = Math.min(credentials.expires_at ?? Infinity, caller.expiresAt);
    const exchanged = { credentials, renewAt: renewTimeOf(endsAt, now), endsAt };
    keep(this.exchanged, key, exchanged);
    return tokenOf(exchanged);
  }
}

function keep<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) if (map.size > mostTokens) map.delete(oldest);
}

function tokenOf({ credentials }: Exchanged): Token {
  return { kind: 'token', token: credentials.access_token };
}

function failed({ kind, message }: Exclude<Granted, { kind: 'granted' }>): Token {
  return kind === 'unreachable'
    ? { kind: 'unavailable', message }
    : { kind: 'auth_required', message, missing: 'exchange_refused' };
}
