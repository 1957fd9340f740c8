import type { UpstreamAuth } from '@uar/contracts';
import { z } from 'zod';
import type { Refusal } from '../../domain/account/ports.js';

/** An upstream that wants OAuth tokens: its address and, placeholders filled in, the client that we are. */
export interface OAuthServer {
  readonly url: string;
  readonly auth: UpstreamAuth;
}

/** A client that was registered by RFC 7591 at one issuer, for one redirect URI. */
const Registration = z.strictObject({
  issuer: z.string(),
  redirect_uri: z.string(),
  client_id: z.string(),
  client_secret: z.string().optional(),
  /** Epoch ms; absent: never. */
  secret_expires_at: z.number().optional(),
  token_endpoint_auth_method: z.string().optional(),
});
export type Registration = z.output<typeof Registration>;

/** Where tokens come from: what of the discovered metadata later requests need. */
const Source = z.strictObject({
  issuer: z.string(),
  token_endpoint: z.string(),
  /** `token_endpoint_auth_methods_supported`; absent: nothing was said. */
  auth_methods: z.array(z.string()).optional(),
  revocation_endpoint: z.string().optional(),
  /** The authorization server says that it understands Client ID Metadata Documents. */
  takes_metadata_url: z.boolean(),
  /** RFC 8707; absent where the upstream describes no resource. */
  resource: z.string().optional(),
});
export type Source = z.output<typeof Source>;

/** Tokens with all that is needed to use, refresh and revoke them. Holds secrets: sealed wherever it is kept. */
export const Tokens = z.strictObject({
  access_token: z.string(),
  /** Epoch ms; absent: unknown. */
  expires_at: z.number().optional(),
  refresh_token: z.string().optional(),
  /** Scopes that were given, or else asked for. */
  scope: z.string().optional(),
  source: Source,
  registration: Registration.optional(),
});
export type Tokens = z.output<typeof Tokens>;

/** Whose tokens alone will do, while there are none. */
export const Pinned = z.strictObject({ issuer: z.string() });

/** What has to be known when the browser comes back. Holds secrets. */
export const Pending = z.strictObject({
  state: z.string(),
  code_verifier: z.string(),
  redirect_uri: z.string(),
  scope: z.string().optional(),
  /** RFC 9207: the authorization server promised to name itself in its response. */
  names_issuer: z.boolean(),
  source: Source,
  registration: Registration.optional(),
});
export type Pending = z.output<typeof Pending>;

/** A refusal on its way to whoever asked. */
export class OAuthProblem extends Error {
  constructor(
    readonly kind: Refusal['kind'],
    message: string,
  ) {
    super(message);
  }
}
