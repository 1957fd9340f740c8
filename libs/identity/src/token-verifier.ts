import { hash } from 'node:crypto';
import type { UarConfig } from '@uar/config';
import type { Principal } from '@uar/contracts';
import { LRUCache } from 'lru-cache';
import { audienceHolds, checkClaims, type ClaimRules } from './claim-rules.js';
import { fetchKeySet, type FetchKeySet } from './keys/fetch-key-set.js';
import { KeySet, type KeyLookup } from './keys/key-set.js';
import { principalOf, type PrincipalRules } from './principal.js';
import { refuse, type Refusal } from './refusal.js';
import { secretTokenKey } from './keys/token-key.js';
import { readToken, type Algorithm } from './token-text.js';

export interface Verified {
  readonly kind: 'verified';
  readonly principal: Principal;
  /** Epoch milliseconds of the token's `exp`. */
  readonly token_expires_at: number;
}

export interface TokenVerifierOptions {
  readonly security: UarConfig['security'];
  readonly profile: UarConfig['profile'];
  /** Reads the key set in jwks mode; default: one plain GET. */
  readonly fetch?: FetchKeySet;
  /** Epoch milliseconds. */
  readonly now?: () => number;
}

export interface VerifyOptions {
  /** Accepted besides the configured audience: the resource URL of the endpoint that was asked (RFC 8707). */
  readonly audience?: string;
}

/** The only place where a bearer token becomes a principal. Takes the token, or the value of an Authorization header. */
export interface TokenVerifier {
  readonly mode: 'secret' | 'jwks';
  /** Never rejects. */
  verify(bearer: string, options?: VerifyOptions): Promise<Verified | Refusal>;
  /** The principal of a token that was verified at most 60 s ago and has not expired. */
  cached(bearer: string, options?: VerifyOptions): Principal | undefined;
  /** Why no key can be had now, for readiness. */
  problem(): string | undefined;
  close(): void;
}

interface KeySource {
  readonly mode: 'secret' | 'jwks';
  readonly algorithms: readonly Algorithm[];
  find(keyId: string | undefined, algorithm: Algorithm): Promise<KeyLookup>;
  problem(): string | undefined;
  close(): void;
}

interface CachedToken {
  readonly verified: Verified;
  readonly audiences: readonly string[];
  readonly until: number;
}

const cacheMs = 60_000;
const cacheEntries = 4096;

/** Throws when the configuration gives no mode, or two. */
export function createTokenVerifier(options: TokenVerifierOptions): TokenVerifier {
  return new ConfiguredVerifier(options);
}

class ConfiguredVerifier implements TokenVerifier {
  readonly mode: 'secret' | 'jwks';
  private readonly keys: KeySource;
  private readonly claimRules: ClaimRules;
  private readonly principalRules: PrincipalRules;
  private readonly now: () => number;
  private readonly seen = new LRUCache<string, CachedToken>({ max: cacheEntries });

  constructor(options: TokenVerifierOptions) {
    const { security, profile } = options;
    this.now = options.now ?? Date.now;
    this.keys = keySource(options, () => {
      this.seen.clear();
    });
    this.mode = this.keys.mode;
    this.claimRules = claimRules(security, profile);
    this.principalRules = {
      names: security.claims,
      defaultTenant: security.default_tenant,
    };
  }

  async verify(bearer: string, options: VerifyOptions = {}): Promise<Verified | Refusal> {
    const token = tokenOf(bearer);
    const read = readToken(token, this.keys.algorithms);
    if (read.kind === 'invalid') return read;
    const checked = checkClaims(read.claims, this.claimRules, this.now());
    if (checked.kind === 'invalid') return checked;
    if (!audienceHolds(checked.audiences, this.claimRules, options.audience))
      return refuse('audience_refused');
    const principal = principalOf(read.claims, checked, this.principalRules);
    if (principal.kind === 'invalid') return principal;
    const lookup = await this.keys.find(read.keyId, read.algorithm);
    if (lookup.kind === 'unavailable') return refuse('keys_unavailable');
    if (lookup.kind === 'unknown') return refuse(read.keyId === undefined ? 'key_id_missing' : 'key_unknown');
    if (!(await lookup.key.signed(token))) return refuse('signature_wrong');
    const verified: Verified = {
      kind: 'verified',
      principal: principal.principal,
      token_expires_at: checked.expiresAt,
    };
    this.remember(token, verified, checked.audiences);
    return verified;
  }

  cached(bearer: string, options: VerifyOptions = {}): Principal | undefined {
    const found = this.seen.get(keyOf(tokenOf(bearer)));
    if (found === undefined || found.until <= this.now()) return undefined;
    return audienceHolds(found.audiences, this.claimRules, options.audience)
      ? found.verified.principal
      : undefined;
  }

  problem(): string | undefined {
    return this.keys.problem();
  }

  close(): void {
    this.seen.clear();
    this.keys.close();
  }

  private remember(token: string, verified: Verified, audiences: readonly string[]): void {
    const until = Math.min(verified.token_expires_at, this.now() + cacheMs);
    if (until > this.now()) this.seen.set(keyOf(token), { verified, audiences, until });
  }
}

function keyOf(token: string): string {
  return hash('sha256', token, 'base64');
}

/** RFC 6750 2.1: `Bearer` in any casing, one space. */
function tokenOf(bearer: string): string {
  return /^bearer /i.test(bearer) ? bearer.slice(7) : bearer;
}

function claimRules(security: UarConfig['security'], profile: UarConfig['profile']): ClaimRules {
  const audience = security.jwt_audience;
  return {
    issuer: security.jwt_issuer,
    audiences: typeof audience === 'string' ? [audience] : audience,
    acceptsDevelopmentTokens: profile !== 'server-full',
  };
}

function keySource(options: TokenVerifierOptions, onChange: () => void): KeySource {
  const { security } = options;
  if (security.jwks_url !== undefined && security.jwt_secret !== undefined)
    throw new Error('security: jwt_secret and jwks_url exclude each other');
  if (security.jwks_url !== undefined) return keySetSource(security.jwks_url, options, onChange);
  if (security.jwt_secret === undefined) throw new Error('security: needs jwt_secret or jwks_url');
  const lookup: KeyLookup = { kind: 'key', key: secretTokenKey(security.jwt_secret) };
  return {
    mode: 'secret',
    algorithms: ['HS256'],
    find: () => Promise.resolve(lookup),
    problem: () => undefined,
    close: () => undefined,
  };
}

function keySetSource(url: string, options: TokenVerifierOptions, onChange: () => void): KeySource {
  const { security } = options;
  if (security.jwt_issuer === undefined || security.jwt_audience === undefined)
    throw new Error('security: jwks_url needs jwt_issuer and jwt_audience');
  const clock = options.now ?? (() => performance.now());
  const keys = new KeySet({ url, fetch: options.fetch ?? fetchKeySet, clock, onChange });
  return {
    mode: 'jwks',
    algorithms: security.jwt_algorithms,
    find: (keyId, algorithm) =>
      keyId === undefined ? Promise.resolve({ kind: 'unknown' }) : keys.find(keyId, algorithm),
    problem: () => keys.problem(),
    close: () => {
      keys.close();
    },
  };
}
