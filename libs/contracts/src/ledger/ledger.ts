import { z } from 'zod';
import { announcement, exchange } from '../exchange.js';
import { CallId, Digest, EpochMs, InstanceId, TenantId } from '../ids.js';
import { ReceiptBody, ReceiptPosition } from './receipt.js';

/** e.g. `server`, `run-policy`, `tenant`. */
const Namespace = z.string().regex(/^[a-z][a-z0-9-]{0,31}$/);

/** One setting per server, its key the server's name: sealed by the registry, or `{ kind: 'deleted' }`. */
export const serversNamespace = 'server';

export const Setting = z.strictObject({
  tenant: TenantId,
  namespace: Namespace,
  key: z.string().min(1).max(128),
  revision: z.number().int().positive(),
  value: z.unknown(),
});
export type Setting = z.output<typeof Setting>;

/** The settings of a namespace, of one tenant or across tenants, in order of tenant and key; `key` of a tenant alone. */
export const readSettings = exchange({
  subject: 'uar.v1.ledger.settings.read',
  ask: z.strictObject({
    namespace: z.string(),
    tenant: TenantId.optional(),
    key: z.string().optional(),
  }),
  answer: z.strictObject({ settings: z.array(Setting) }),
  deadlineMs: 5_000,
});

/**
 * Compare and set: `if_revision` 0 = must not exist. `value: null` removes. Durable when answered, `receipt` with it: both
 * are written or neither is.
 */
export const writeSetting = exchange({
  subject: 'uar.v1.ledger.settings.write',
  ask: z.strictObject({
    tenant: TenantId,
    namespace: z.string(),
    key: z.string(),
    value: z.unknown(),
    if_revision: z.number().int().nonnegative(),
    receipt: ReceiptBody.optional(),
  }),
  answer: z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('written'),
      revision: z.number().int(),
      receipt: ReceiptPosition.optional(),
    }),
    z.strictObject({ kind: z.literal('conflict'), revision: z.number().int() }),
  ]),
  deadlineMs: 3_000,
});

/** A setting was written or removed: whoever holds a replica of its namespace reads it again. */
export const settingsChanged = announcement({
  subject: 'uar.v1.event.settings.changed',
  body: z.strictObject({ tenant: TenantId, namespace: Namespace, key: z.string() }),
});

/** The view of an async or idempotency-keyed call: kept encrypted until it expires, 1 MB at most. */
export const keepCall = exchange({
  subject: 'uar.v1.ledger.calls.keep',
  ask: z.strictObject({
    tenant: TenantId,
    call_id: CallId,
    /** Cedar id of the principal: nobody else may read it without `readCalls`. */
    principal: z.string(),
    /** CallView as JSON text. */
    view_json: z.string(),
    /** The gateway at which it is still pending; absent once it has ended. */
    pending_at: InstanceId.optional(),
    expires_at: EpochMs,
  }),
  /** Also false where the call was closed, as its gateway was taken as gone: that view stays. */
  answer: z.strictObject({ kept: z.boolean() }),
  deadlineMs: 3_000,
});

export const readKeptCall = exchange({
  subject: 'uar.v1.ledger.calls.read',
  ask: z.strictObject({ tenant: TenantId, call_id: CallId }),
  answer: z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('found'),
      principal: z.string(),
      view_json: z.string(),
      /** The gateway at which it is still pending. */
      pending_at: InstanceId.optional(),
    }),
    z.strictObject({ kind: z.literal('not_found') }),
  ]),
  deadlineMs: 3_000,
});

/** Idempotency-Key (API.md 2): the first claim of a key wins for 24 h. */
export const claimKey = exchange({
  subject: 'uar.v1.ledger.keys.claim',
  ask: z.strictObject({
    tenant: TenantId,
    principal: z.string(),
    key: z.string().min(1).max(255),
    /** Digest over tool name and argument text. */
    request_digest: Digest,
    call_id: CallId,
    /** Claims anew what this call has claimed: it was refused for a passing reason, and ran nothing. */
    instead_of: CallId.optional(),
    /** The view of the call, pending at this gateway: kept with the claim, so that no key is left without an end. */
    pending: z.strictObject({ gateway: InstanceId, view_json: z.string() }).optional(),
    expires_at: EpochMs,
  }),
  answer: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('claimed') }),
    z.strictObject({ kind: z.literal('same'), call_id: CallId }),
    z.strictObject({ kind: z.literal('other_request') }),
  ]),
  deadlineMs: 3_000,
});

/** Can the ledger be written now? `/readyz` of the gateway asks it. */
export const readLedgerStatus = exchange({
  subject: 'uar.v1.ledger.status.read',
  ask: z.strictObject({}),
  answer: z.strictObject({ writable: z.boolean(), problem: z.string().optional() }),
  deadlineMs: 2_000,
});
