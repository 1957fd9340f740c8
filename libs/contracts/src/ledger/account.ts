import { z } from 'zod';
import { announcement, exchange } from '../exchange.js';
import { Digest, EpochMs, InstanceId, ServerName, TenantId } from '../ids.js';
import { ReceiptBody } from './receipt.js';

export const longestLeaseMs = 60_000;
const mostSealedCharacters = 256 * 1024;

/** Whose tokens: of a server for everybody, or of one principal (Cedar id) there. */
export const AccountId = z.strictObject({
  tenant: TenantId,
  server: ServerName,
  principal: z.string().min(1).max(512).optional(),
});
export type AccountId = z.output<typeof AccountId>;

const Sealed = z.string().min(1).max(mostSealedCharacters);

/** Sealed by the connector: nobody else sees what is in it. */
export const StoredAccount = z.strictObject({
  /** 0: nothing was ever written. Only grows, also over what is forgotten. */
  revision: z.number().int().nonnegative(),
  /** Digest of the address and the client that the tokens are for; whoever finds another one does not use them. */
  binding: Digest.optional(),
  /** Absent: there are no tokens. */
  sealed: Sealed.optional(),
});
export type StoredAccount = z.output<typeof StoredAccount>;

/** Credentials for an upstream, as they stand. */
export const readAccount = exchange({
  subject: 'uar.v1.ledger.account.read',
  ask: z.strictObject({ account: AccountId }),
  answer: z.strictObject({ stored: StoredAccount }),
  deadlineMs: 3_000,
});

/** Compare and set; frees the lease. Without `sealed` the tokens are forgotten. Where somebody decided that, with its receipt, or neither. */
export const writeAccount = exchange({
  subject: 'uar.v1.ledger.account.write',
  ask: z.strictObject({
    account: AccountId,
    binding: Digest,
    sealed: Sealed.optional(),
    if_revision: z.number().int().nonnegative(),
    receipt: ReceiptBody.optional(),
  }),
  answer: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('written'), revision: z.number().int().positive() }),
    z.strictObject({ kind: z.literal('conflict'), stored: StoredAccount }),
  ]),
  deadlineMs: 3_000,
});

/** One connector at a time gets new tokens for an account: a refresh token may be good for one use. */
export const leaseAccount = exchange({
  subject: 'uar.v1.ledger.account.lease',
  ask: z.strictObject({
    account: AccountId,
    holder: InstanceId,
    lease_ms: z.number().int().nonnegative().max(longestLeaseMs).describe('0 gives it back.'),
    if_revision: z.number().int().nonnegative(),
  }),
  answer: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('leased') }),
    /** Somebody else is at it. */
    z.strictObject({ kind: z.literal('held'), free_in_ms: z.number().int().positive() }),
    /** Somebody wrote meanwhile. */
    z.strictObject({ kind: z.literal('moved'), stored: StoredAccount }),
  ]),
  deadlineMs: 3_000,
});

/** What has to be known when a browser comes back; by the digest of its `state`, for whichever connector is asked then. */
export const keepAuthorization = exchange({
  subject: 'uar.v1.ledger.authorization.keep',
  ask: z.strictObject({ state_digest: Digest, account: AccountId, sealed: Sealed, expires_at: EpochMs }),
  answer: z.strictObject({ kept: z.literal(true) }),
  deadlineMs: 3_000,
});

/** Given out once. */
export const takeAuthorization = exchange({
  subject: 'uar.v1.ledger.authorization.take',
  ask: z.strictObject({ state_digest: Digest }),
  answer: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('taken'), account: AccountId, sealed: Sealed }),
    z.strictObject({ kind: z.enum(['used', 'expired', 'unknown']) }),
  ]),
  deadlineMs: 3_000,
});

/** The tokens of an account, or without `principal` and with `all` those of everybody at the server, are others now. */
export const accountChanged = announcement({
  subject: 'uar.v1.event.account.changed',
  body: z.strictObject({
    account: AccountId,
    all: z.boolean(),
    /** Somebody gave or took them away; else a connector renewed them. */
    decided: z.boolean(),
  }),
});
