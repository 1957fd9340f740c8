import type { KeyObject } from 'node:crypto';
import { GrantClaims, type InstanceId } from '@uar/contracts';
import { grantType } from './grant-signer.js';
import { clockSkewMs, TakenOffers, type KeyAnswer } from './taken-offers.js';
import { createStatementReader, StatementKeys } from './statement.js';
import { ed25519Checking } from './statement-keys.js';
import { UsedCalls } from './used-calls.js';

/** What the host is about to do, field by field. */
export type ExpectedCall = Pick<
  GrantClaims,
  'call_id' | 'tenant' | 'method' | 'server' | 'raw_name' | 'definition_digest' | 'arguments_digest'
>;

export type VerifiedGrant =
  | { readonly kind: 'valid'; readonly claims: GrantClaims }
  | { readonly kind: 'refused'; readonly cause: string };

export interface GrantVerifier {
  /** A valid grant is spent by this call: verify last, immediately before dispatch. */
  verify(grant: string, expected: ExpectedCall): VerifiedGrant;
  /** Takes the decider's offer of a key; grants may come under that key from then on (ADR 54). */
  agree(offer: string): KeyAnswer;
}

export interface GrantVerifierOptions {
  readonly publicKeys: readonly KeyObject[];
  readonly host: GrantClaims['host'];
  readonly instance: InstanceId;
  readonly now?: () => number;
  /** Most used call ids held at once; beyond, grants are refused (`memory_full`). */
  readonly maxRemembered?: number;
}

const defaultMaxRemembered = 1_000_000;
const expectedFields = [
  'call_id',
  'tenant',
  'method',
  'server',
  'raw_name',
  'definition_digest',
  'arguments_digest',
] as const satisfies readonly (keyof ExpectedCall)[];

/** Believes nothing but the signature and compares every field with what is about to happen (DESIGN.md 8). */
export function createGrantVerifier(options: GrantVerifierOptions): GrantVerifier {
  const pinned = options.publicKeys.map((key) => ed25519Checking(key));
  const keys = new StatementKeys(grantType, pinned);
  const reader = createStatementReader(keys);
  const offers = new TakenOffers({ pinned, keys, self: options });
  const used = new UsedCalls(options.maxRemembered ?? defaultMaxRemembered);
  const clock = options.now ?? Date.now;
  return {
    agree: (offer) => offers.take(offer, clock()),
    verify(grant, expected) {
      const now = clock();
      const opened = reader.open(grant, now);
      if (opened.kind === 'refused') return opened;
      const parsed = GrantClaims.safeParse(opened.body);
      if (!parsed.success) return refused('bad_claims');
      const difference = differenceOf(parsed.data, expected, options) ?? timeProblem(parsed.data, now);
      if (difference !== undefined) return refused(difference);
      switch (used.use(parsed.data.call_id, parsed.data.expires_at, now)) {
        case 'taken':
          return { kind: 'valid', claims: parsed.data };
        case 'used':
          return refused('used');
        case 'full':
          return refused('memory_full');
      }
    },
  };
}

function refused(cause: string): VerifiedGrant {
  return { kind: 'refused', cause };
}

function differenceOf(
  claims: GrantClaims,
  expected: ExpectedCall,
  self: Pick<GrantVerifierOptions, 'host' | 'instance'>,
): string | undefined {
  if (claims.host !== self.host) return 'wrong_host';
  if (claims.instance !== self.instance) return 'wrong_instance';
  const field = expectedFields.find((name) => claims[name] !== expected[name]);
  return field === undefined ? undefined : `wrong_${field}`;
}

function timeProblem(claims: GrantClaims, now: number): string | undefined {
  if (claims.issued_at > now + clockSkewMs) return 'not_yet_valid';
  return claims.expires_at <= now || claims.expires_at <= claims.issued_at ? 'expired' : undefined;
}
