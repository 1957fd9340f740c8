import { z } from 'zod';
import { CallMethod } from './seat.js';
import { ApprovalId, CallId, Digest, EpochMs, HostKind, InstanceId, TenantId } from '../ids.js';

/** Everything a host compares with what it is about to do (DESIGN.md 8). Valid once, for one host instance. */
export const GrantClaims = z.strictObject({
  call_id: CallId,
  tenant: TenantId,
  /** Cedar id of the principal, e.g. `User::"default/dev"`. */
  principal: z.string(),
  host: HostKind,
  instance: InstanceId,
  method: CallMethod,
  server: z.string(),
  /** Of the tool, or the id of the resource or prompt. */
  raw_name: z.string(),
  /** Of the tool; nothing else has one. */
  definition_digest: Digest.optional(),
  /** Of the arguments of a tool, else of `params`. */
  arguments_digest: Digest,
  policy_version: z.string(),
  approval_id: ApprovalId.optional(),
  issued_at: EpochMs,
  expires_at: EpochMs,
});
export type GrantClaims = z.output<typeof GrantClaims>;

/**
 * `<base64url header>.<base64url claims>.<base64url signature>`; the header is `{"alg":"EdDSA","kid":...,"typ":"uar-grant+2"}`, or
 * names `HS256` and a key that decider and host agreed on.
 */
export const GrantText = z.string().max(4096);

/** One half of an X25519 key agreement: 32 bytes in base64url. */
export const PublicKeyHalf = z.string().regex(/^[A-Za-z0-9_-]{43}$/);

/** What a decider signs when it offers a host instance a key for the two of them (ADR 54). */
export const KeyOffer = z.strictObject({
  host: HostKind,
  instance: InstanceId,
  public_key: PublicKeyHalf,
  issued_at: EpochMs,
  /** Nothing is granted under the key from then on. */
  expires_at: EpochMs,
});
export type KeyOffer = z.output<typeof KeyOffer>;

/** Where a granted call will run: chosen by the gateway before the PDP is asked. */
export const GrantTarget = z.strictObject({
  host: HostKind,
  instance: InstanceId,
  /** No later than the deadline of the call. */
  expires_at: EpochMs,
});
export type GrantTarget = z.output<typeof GrantTarget>;
