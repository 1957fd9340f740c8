import { z } from 'zod';
import { CallId, EpochMs, TenantId } from '../ids.js';

/** Public half of the P-256 key by which an instance of a host is told secrets (RFC 7517, RFC 7518 6.2.1). */
export const TokenKey = z.strictObject({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: z.base64url().length(43),
  y: z.base64url().length(43),
});
export type TokenKey = z.output<typeof TokenKey>;

/** What is encrypted to that key: the bearer token that the caller came with, good for this call alone. */
export const CallerTokenClaims = z.strictObject({
  call_id: CallId,
  tenant: TenantId,
  server: z.string(),
  token: z.string(),
  expires_at: EpochMs,
});
export type CallerTokenClaims = z.output<typeof CallerTokenClaims>;

/** JWE in compact form (RFC 7516; ECDH-ES, A256GCM) of `CallerTokenClaims`. */
export const CallerTokenText = z.string().max(32_768);
