import { z } from 'zod';
import { exchange } from '../exchange.js';
import { ApprovalId, CallId, Digest, HostKind, InstanceId, IsoTime, RunId, TenantId } from '../ids.js';
import { Effect, Outcome } from '../calls/outcome.js';
import { ItemMethod } from '../calls/seat.js';
import { ProfileName } from '../principal.js';

/** What a receipt says, before it has a place in the chain. Digests and sizes, never arguments or results (API.md 7). */
export const ReceiptBody = z.strictObject({
  at: IsoTime,
  kind: z.enum(['intent', 'outcome', 'admin']),
  call_id: CallId.optional(),
  run_id: RunId.optional(),
  tenant: TenantId,
  /** Cedar id of the principal. */
  principal: z.string(),
  agent: z.string().optional(),
  tool: z
    .strictObject({ server: z.string(), raw_name: z.string(), definition_digest: z.string() })
    .optional(),
  /** The resource or prompt it is about instead of a tool. Its id may carry a secret: `id_digest` is the sha256 of its text. */
  item: z
    .strictObject({
      kind: z.enum(['resource', 'prompt']),
      server: z.string(),
      id_digest: Digest,
      method: ItemMethod,
    })
    .optional(),
  /** Of the arguments of a tool, or of the `params` of a request about an item. */
  arguments_digest: Digest.optional(),
  result_digest: Digest.optional(),
  policy_version: z.string().optional(),
  /** Determining policies, sorted. */
  policies: z.array(z.string()).optional(),
  governance: z.enum(['on', 'off']),
  host: z
    .strictObject({
      kind: HostKind,
      id: z.string(),
      epoch: z.number().int().optional(),
      sandbox: z.string(),
    })
    .optional(),
  profile: ProfileName,
  approval_id: ApprovalId.optional(),
  outcome: Outcome.optional(),
  effect: Effect.optional(),
  cause: z.string().optional(),
  /** Kind `admin`: what was written, e.g. `server.put everything`, `approval.approve`. */
  action: z.string().optional(),
});
export type ReceiptBody = z.output<typeof ReceiptBody>;

/** One link: `hash` = sha256 over the RFC 8785 form of the receipt without `hash`. Seq starts at 1 per tenant. */
export const Receipt = ReceiptBody.extend({
  seq: z.number().int().positive(),
  prev_hash: Digest,
  hash: Digest,
});
export type Receipt = z.output<typeof Receipt>;

export const ReceiptPosition = z.strictObject({ seq: z.number().int().positive(), hash: Digest });
export type ReceiptPosition = z.output<typeof ReceiptPosition>;

/**
 * Stands for the receipts of a tenant up to `through_seq`, which retention has removed; `hash` is that of the last of them.
 * `signature`: Ed25519 (RFC 8032) over the RFC 8785 form without it, base64url.
 */
export const ReceiptCheckpoint = z.strictObject({
  tenant: TenantId,
  through_seq: z.number().int().positive(),
  hash: Digest,
  at: IsoTime,
  key_id: z.string(),
  signature: z.string(),
});
export type ReceiptCheckpoint = z.output<typeof ReceiptCheckpoint>;

/** `prev_hash` of the first receipt of a chain. */
export const genesisHash = `sha256:${'0'.repeat(64)}`;

/**
 * The place of a receipt. `refused`: it was not written, because the call has an outcome that says something else, or, of an
 * intent, has one at all; the place is that of the outcome.
 */
export const AppendedReceipt = ReceiptPosition.extend({ refused: z.literal(true).optional() });
export type AppendedReceipt = z.output<typeof AppendedReceipt>;

/**
 * The durable statement that a call is about to run; answered after commit. `gateway` is who will say how it ended: should
 * that instance be gone, the call is closed in its place (ADR 35), and an intent that comes after it is refused.
 */
export const writeIntent = exchange({
  subject: 'uar.v1.receipt.intent.write',
  ask: z.strictObject({ gateway: InstanceId, receipt: ReceiptBody }),
  answer: AppendedReceipt,
  deadlineMs: 2_000,
});

/** Outcome and admin receipts, in order; answered after commit, one position each. */
export const appendReceipts = exchange({
  subject: 'uar.v1.receipt.chain.append',
  ask: z.strictObject({ receipts: z.array(ReceiptBody).min(1).max(512) }),
  answer: z.strictObject({ positions: z.array(AppendedReceipt) }),
  deadlineMs: 5_000,
});

export const listReceipts = exchange({
  subject: 'uar.v1.receipt.chain.list',
  ask: z.strictObject({
    tenant: TenantId,
    tool: z.string().optional(),
    outcome: Outcome.optional(),
    principal: z.string().optional(),
    since: IsoTime.optional(),
    /** Receipts with a greater seq only. */
    after: z.number().int().nonnegative().default(0),
    limit: z.number().int().min(1).max(1000).default(100),
  }),
  answer: z.strictObject({
    receipts: z.array(Receipt),
    next: z.number().int().optional(),
    /** What stands for the receipts that were removed; the chain begins after it. */
    checkpoint: ReceiptCheckpoint.optional(),
  }),
  deadlineMs: 5_000,
});

export const readReceipt = exchange({
  subject: 'uar.v1.receipt.chain.read',
  ask: z.strictObject({ tenant: TenantId, seq: z.number().int().positive() }),
  answer: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('found'), receipt: Receipt }),
    z.strictObject({ kind: z.literal('not_found') }),
    /** Removed by retention, with all before it up to `through_seq`. */
    z.strictObject({ kind: z.literal('truncated'), through_seq: z.number().int() }),
  ]),
  deadlineMs: 2_000,
});

export const ReceiptVerification = z.strictObject({
  ok: z.boolean(),
  /** Of the whole chain, with what retention has removed. */
  length: z.number().int(),
  head: Digest,
  /** Seq of the first link that does not hold. */
  broken_at: z.number().int().optional(),
  /** First receipt that was walked, where a signed checkpoint stands for those before it. */
  walked_from: z.number().int().optional(),
  problem: z.string().optional(),
});
export type ReceiptVerification = z.output<typeof ReceiptVerification>;

export const verifyReceipts = exchange({
  subject: 'uar.v1.receipt.chain.verify',
  ask: z.strictObject({ tenant: TenantId }),
  answer: ReceiptVerification,
  deadlineMs: 60_000,
});
