import { JwksClient, JwksError } from 'jwks-rsa';
import { z } from 'zod';
import type { FetchKeySet } from './fetch-key-set.js';
import { publicTokenKey, type TokenKey } from './token-key.js';
import type { Algorithm } from '../token-text.js';

export type KeyLookup =
  | { readonly kind: 'key'; readonly key: TokenKey }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'unavailable' };

interface SigningKey {
  readonly kid?: string;
  readonly alg?: string;
  getPublicKey(): string;
}

export interface KeySetOptions {
  readonly url: string;
  readonly fetch: FetchKeySet;
  /** Milliseconds on a clock that does not jump. */
  readonly clock: () => number;
  /** Called after a read that changed what a key id stands for. */
  readonly onChange: () => void;
}

/** Longest read of the key set. */
const fetchDeadlineMs = 5_000;
/** Between two reads for unknown key ids, and between two tries after a failure. */
const windowMs = 30_000;
/** From this age on a read is started beside the use of the keys. */
const refreshAgeMs = 5 * 60_000;
/** From this age on keys are used only after a read. With the 60 s that a verified token is cached: 10 min. */
const maxAgeMs = 9 * 60_000;
/** How long the last good keys serve while reads fail. */
const lastGoodMs = 60 * 60_000;

const KeySetBody = z.object({ keys: z.array(z.record(z.string(), z.unknown())).max(128) });

/** The public keys of one identity provider, by key id. At most one read is under way. */
export class KeySet {
  private readonly client: JwksClient;
  private readonly ending = new AbortController();
  private keys: ReadonlyMap<string, readonly TokenKey[]> = new Map();
  private fingerprint = '';
  private readAt: number | undefined;
  private failedAt: number | undefined;
  private unknownReadAt: number | undefined;
  private failure: string | undefined;
  private reading: Promise<void> | undefined;

  constructor(private readonly options: KeySetOptions) {
    this.client = new JwksClient({
      jwksUri: options.url,
      cache: false,
      rateLimit: false,
      fetcher: async (url) => {
        const signal = AbortSignal.any([AbortSignal.timeout(fetchDeadlineMs), this.ending.signal]);
        return KeySetBody.parse(JSON.parse(await options.fetch(url, signal)));
      },
    });
  }

  /** Why keys cannot be had, while they cannot. */
  problem(): string | undefined {
    return this.failure;
  }

  async find(keyId: string, algorithm: Algorithm): Promise<KeyLookup> {
    const readsBefore = this.readAt;
    await this.refreshByAge();
    if (this.age() > lastGoodMs) return { kind: 'unavailable' };
    const known = this.known(keyId, algorithm);
    if (known.kind === 'key' || this.readAt !== readsBefore || !this.mayReadForUnknown()) return known;
    if (this.reading === undefined) this.unknownReadAt = this.options.clock();
    await this.read();
    return this.known(keyId, algorithm);
  }

  /** Gives up a read that is under way. */
  close(): void {
    this.ending.abort();
  }

  private known(keyId: string, algorithm: Algorithm): KeyLookup {
    const key = this.keys.get(keyId)?.find((candidate) => candidate.algorithm === algorithm);
    return key === undefined ? { kind: 'unknown' } : { kind: 'key', key };
  }

  private age(): number {
    return this.readAt === undefined ? Infinity : this.options.clock() - this.readAt;
  }

  private async refreshByAge(): Promise<void> {
    const age = this.age();
    if (age <= refreshAgeMs || this.failedJustNow()) return;
    const read = this.read();
    if (age > maxAgeMs) await read;
  }

  private failedJustNow(): boolean {
    return this.failedAt !== undefined && this.options.clock() - this.failedAt < windowMs;
  }

  private mayReadForUnknown(): boolean {
    if (this.failedJustNow()) return false;
    if (this.reading !== undefined || this.unknownReadAt === undefined) return true;
    return this.options.clock() - this.unknownReadAt >= windowMs;
  }

  /** Never rejects: a failure is remembered. */
  private read(): Promise<void> {
    this.reading ??= this.readNow().finally(() => {
      this.reading = undefined;
    });
    return this.reading;
  }

  private async readNow(): Promise<void> {
    try {
      this.install(await this.signingKeys());
      this.readAt = this.options.clock();
      this.failedAt = undefined;
      this.failure = undefined;
    } catch (error) {
      this.failedAt = this.options.clock();
      this.failure = error instanceof Error ? error.message : 'the key set cannot be read';
    }
  }

  /** A set that was read and has no usable key is an answer, not a failure: every key is withdrawn. */
  private async signingKeys(): Promise<readonly SigningKey[]> {
    try {
      return await this.client.getSigningKeys();
    } catch (error) {
      if (error instanceof JwksError && !('isEndpointUnavailable' in error)) return [];
      throw error;
    }
  }

  private install(signingKeys: readonly SigningKey[]): void {
    const keys = new Map<string, TokenKey[]>();
    const prints: string[] = [];
    for (const { kid, alg, getPublicKey } of signingKeys) {
      if (kid === undefined) continue;
      const pem = getPublicKey();
      const key = publicTokenKey(pem, alg);
      if (key === undefined) continue;
      keys.set(kid, [...(keys.get(kid) ?? []), key]);
      prints.push(`${kid}\n${pem}`);
    }
    const fingerprint = prints.sort().join('\n');
    const changed = fingerprint !== this.fingerprint;
    this.keys = keys;
    this.fingerprint = fingerprint;
    if (changed) this.options.onChange();
  }
}
