import type { AccountId } from '@uar/contracts';
import type { Clock } from '../clock.js';
import type { ExpandedServer } from '../upstream.js';
import { askForTokens, pinnedFor } from './ask-for-tokens.js';
import type { Token } from './bearer.js';
import { renewTimeOf, type Credentials } from './credentials.js';
import { FreshRefusals } from './fresh-refusals.js';
import { isTrustedAtFirst, issuerOf } from './pinned-issuer.js';
import type { AuthorizationServers, CredentialStore, Hints, Kept, Refusal, Wanted } from './ports.js';

export interface TokenParts {
  readonly store: CredentialStore;
  readonly servers: AuthorizationServers;
  readonly clock: Clock;
}

/** Milliseconds. */
const requestMs = 20_000;
const pollMs = 100;
/** Nobody whose token is still good waits longer for its successor. */
const patienceMs = 1_000;
/** So long a failure stands for those who come after it. */
const failureMs = 2_000;
const writePausesMs = [50, 200, 1_000];
/** Of tokens that were replaced some may still be spoken of: those of calls that run. */
const mostSecrets = 16;

/** The tokens of one account, got once however many ask, here and in other connectors. */
export class AccountTokens {
  private kept: Kept | undefined;
  /** Epoch milliseconds. */
  private renewAt = Infinity;
  /** What could not be written is known here alone, and stands until somebody else writes. */
  private unsaved = false;
  /** How often somebody wrote, and how often they had when `kept` was read. */
  private changes = 0;
  private readAt = 0;
  private readonly seen = new Set<string>();
  private obtaining: Promise<Token> | undefined;
  private readonly refusals: FreshRefusals;
  private failure: { readonly token: Token; readonly until: number } | undefined;

  constructor(
    private readonly account: AccountId,
    private readonly parts: TokenParts,
  ) {
    this.refusals = new FreshRefusals(() => parts.clock.now());
  }

  /** The account was written: it is read again. `decided`: by somebody, so that everything is tried anew. */
  changed(decided: boolean): void {
    this.changes += 1;
    this.failure = undefined;
    if (decided) this.refusals.forget();
  }

  /** How the upstream took the token: undefined, or why it refused one that was just got. */
  heard(refusal: string | undefined): void {
    if (refusal === undefined) this.refusals.forget();
    else this.refusals.refused(refusal);
  }

  secrets(): readonly string[] {
    return [...this.seen];
  }

  /** A token that is good as far as is known. */
  async token(server: ExpandedServer): Promise<Token> {
    const kept = this.fresh ?? (await this.read(server));
    if (kept === undefined) return storeAway;
    const { credentials } = kept;
    if (credentials === undefined) return { kind: 'none' };
    if (!this.endsSoon()) return { kind: 'token', token: credentials.access_token };
    const { access_token, expires_at = Infinity } = credentials;
    const renewing = this.renew(server, access_token, {});
    const leftMs = expires_at - this.parts.clock.now();
    const renewed = leftMs > 0 ? await this.within(Math.min(patienceMs, leftMs), renewing) : await renewing;
    if (expires_at <= this.parts.clock.now()) return renewed ?? (await renewing);
    const isMissing = renewed === undefined || renewed.kind === 'unavailable';
    return isMissing ? { kind: 'token', token: access_token } : renewed;
  }

  /** Another token than the one that was refused. */
  renew(server: ExpandedServer, refused: string | undefined, hints: Hints): Promise<Token> {
    const known = this.fresh?.credentials;
    if (known !== undefined && known.access_token !== refused && !this.endsSoon())
      return Promise.resolve({ kind: 'token', token: known.access_token });
    if (this.failure !== undefined && this.failure.until > this.parts.clock.now())
      return Promise.resolve(this.failure.token);
    const { standing } = this.refusals;
    if (this.fresh !== undefined && standing !== undefined)
      return Promise.resolve({ kind: 'auth_required', message: standing });
    this.obtaining ??= this.obtain(server, refused, hints).finally(() => {
      this.obtaining = undefined;
    });
    return this.obtaining;
  }

  private async within(ms: number, token: Promise<Token>): Promise<Token | undefined> {
    const done = new AbortController();
    const late = this.parts.clock.wait(ms, done.signal).then(() => undefined);
    return await Promise.race([token, late]).finally(() => done.abort());
  }

  /** What was read since anybody wrote. */
  private get fresh(): Kept | undefined {
    return this.readAt === this.changes ? this.kept : undefined;
  }

  private endsSoon(): boolean {
    return this.renewAt <= this.parts.clock.now();
  }

  private adopt(kept: Kept): Kept {
    const now = this.parts.clock.now();
    const { access_token, expires_at } = kept.credentials ?? {};
    if (access_token !== this.kept?.credentials?.access_token || this.renewAt === Infinity)
      this.renewAt = renewTimeOf(expires_at ?? Infinity, now);
    this.kept = kept;
    this.hide(kept);
    return kept;
  }

  private hide({ credentials }: Kept): void {
    for (const secret of [credentials?.access_token, credentials?.refresh_token]) {
      if (secret === undefined) continue;
      this.seen.delete(secret);
      this.seen.add(secret);
    }
    for (const oldest of this.seen) if (this.seen.size > mostSecrets) this.seen.delete(oldest);
  }

  private async read(server: ExpandedServer): Promise<Kept | undefined> {
    const at = this.changes;
    const read = await this.parts.store.read(this.account, server.binding);
    if ('kind' in read) return this.unsaved ? this.kept : undefined;
    this.readAt = at;
    if (this.unsaved && this.kept?.revision === read.revision) return this.kept;
    this.unsaved = false;
    return this.adopt(read);
  }

  private async obtain(server: ExpandedServer, refused: string | undefined, hints: Hints): Promise<Token> {
    const token = await this.underLease(server, refused, hints);
    if (token.kind === 'auth_required' || token.kind === 'unavailable')
      this.failure = { token, until: this.parts.clock.now() + failureMs };
    return token;
  }

  private async underLease(
    server: ExpandedServer,
    refused: string | undefined,
    hints: Hints,
  ): Promise<Token> {
    const { store, clock } = this.parts;
    const pinned = await pinnedFor(server, hints, this.parts);
    if (pinned.kind !== 'pinned') return refusedToken(pinned);
    const signal = AbortSignal.timeout(requestMs);
    while (!signal.aborted) {
      const kept = await this.read(server);
      if (kept === undefined) return storeAway;
      const known = kept.credentials;
      if (known !== undefined && known.access_token !== refused && !this.endsSoon())
        return { kind: 'token', token: known.access_token };
      const { standing } = this.refusals;
      if (standing !== undefined) return { kind: 'auth_required', message: standing };
      const lease = await store.lease(this.account, kept.revision);
      switch (lease.kind) {
        case 'unavailable':
          return storeAway;
        case 'leased':
          return await this.grantedTo(server, kept, { hints, pinned: pinned.issuer });
        case 'moved':
          break;
        case 'held':
          await clock.wait(Math.min(lease.freeInMs, pollMs), signal);
      }
    }
    return { kind: 'unavailable', message: 'another connector is getting the credentials of the server' };
  }

  private async grantedTo(server: ExpandedServer, kept: Kept, wanted: Wanted): Promise<Token> {
    const granted = await askForTokens(this.parts.servers, server, { ...wanted, earlier: kept.credentials });
    switch (granted.kind) {
      case 'granted':
        return await this.save(server, kept, granted.credentials);
      case 'authorization_needed':
        await this.giveUp(server, kept);
        this.kept = undefined;
        this.unsaved = false;
        break;
      case 'refused':
      case 'unreachable':
        await this.parts.store.release(this.account, kept.revision);
    }
    return refusedToken(granted);
  }

  private async giveUp({ binding, config }: ExpandedServer, kept: Kept): Promise<void> {
    const { store } = this.parts;
    const { revision, credentials } = kept;
    if (credentials === undefined) return await store.release(this.account, revision);
    const issuer = isTrustedAtFirst(config) ? issuerOf(kept) : undefined;
    await store.write(this.account, { binding, ifRevision: revision, issuer });
  }

  /** Kept here whatever becomes of the write: a refresh token that was replaced is good no more. */
  private async save(server: ExpandedServer, kept: Kept, credentials: Credentials): Promise<Token> {
    const { store, clock } = this.parts;
    this.adopt({ revision: kept.revision, credentials });
    this.unsaved = true;
    for (const pauseMs of [0, ...writePausesMs]) {
      await clock.wait(pauseMs, AbortSignal.timeout(requestMs));
      const written = await store.write(this.account, {
        ...{ binding: server.binding, ifRevision: kept.revision, credentials },
      });
      if (written.kind === 'unavailable') continue;
      this.unsaved = false;
      this.kept = written.kind === 'written' ? { revision: written.revision, credentials } : undefined;
      if (written.kind === 'conflict') return await this.token(server);
      break;
    }
    return { kind: 'token', token: credentials.access_token };
  }
}

const storeAway: Token = { kind: 'unavailable', message: 'the credentials of the server cannot be read now' };

function refusedToken({ kind, message }: Refusal): Token {
  return { kind: kind === 'unreachable' ? 'unavailable' : 'auth_required', message };
}
