import { z } from 'zod';
import { exchange } from '../exchange.js';
import { EpochMs, ServerName } from '../ids.js';
import { AccountId } from '../ledger/account.js';
import { ReceiptBody } from '../ledger/receipt.js';

/** Of the way to tokens: words of ours and codes of RFC 6749, no text of others. */
const failed = [
  z.strictObject({ kind: z.literal('refused'), message: z.string() }),
  z.strictObject({ kind: z.literal('authorization_needed'), message: z.string() }),
  z.strictObject({ kind: z.literal('unreachable'), message: z.string() }),
] as const;

/**
 * Begins an authorization (RFC 6749 4.1) for an account at an upstream; `redirect_uri` is the gateway's. The `receipt` of who
 * began is written with the tokens, at the time when they come.
 */
export const beginConnection = exchange({
  subject: 'uar.v1.host.mcp.connection.begin',
  ask: AccountId.extend({ redirect_uri: z.url(), receipt: ReceiptBody }),
  answer: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('begun'), authorization_url: z.url(), expires_at: EpochMs }),
    z.strictObject({ kind: z.literal('not_found') }),
    /** The server has no `auth` of this flow, no account of this kind, or a placeholder without a value. */
    z.strictObject({ kind: z.literal('not_applicable'), message: z.string() }),
    ...failed,
  ]),
  deadlineMs: 35_000,
});

/** What the browser brought back (RFC 6749 4.1.2, RFC 9207). Whose it is, the state says; it is good once. */
export const finishConnection = exchange({
  subject: 'uar.v1.host.mcp.connection.finish',
  ask: z.strictObject({
    state: z.string().max(512),
    code: z.string().max(8192).optional(),
    iss: z.string().max(2048).optional(),
    error: z.string().max(128).optional(),
  }),
  answer: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('connected'), server: ServerName }),
    z.strictObject({ kind: z.enum(['used', 'expired', 'unknown']) }),
    ...failed,
  ]),
  deadlineMs: 35_000,
});

/** Forgets the tokens of an account, with the `receipt` of who wants that; `revoked`: the authorization server was told too (RFC 7009). */
export const forgetConnection = exchange({
  subject: 'uar.v1.host.mcp.connection.forget',
  ask: AccountId.extend({ receipt: ReceiptBody }),
  answer: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('forgotten'), revoked: z.boolean() }),
    z.strictObject({ kind: z.literal('not_found') }),
    z.strictObject({ kind: z.literal('unreachable'), message: z.string() }),
  ]),
  deadlineMs: 35_000,
});
