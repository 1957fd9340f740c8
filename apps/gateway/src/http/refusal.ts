/** Why a request is not taken, thrown at the edge and written as an error body by `ErrorFilter`. */
export class Refusal extends Error {
  readonly details: unknown;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    readonly status: number,
    readonly code: string,
    text: { readonly message: string; readonly details?: unknown; readonly headers?: Record<string, string> },
  ) {
    super(text.message);
    this.details = text.details;
    this.headers = text.headers ?? {};
  }
}

export function badRequest(message: string, details?: unknown): Refusal {
  return new Refusal(400, 'bad_request', { message, details });
}

export function notFound(message = 'There is nothing here.'): Refusal {
  return new Refusal(404, 'not_found', { message });
}

export function gone(code: string, message: string, details: unknown): Refusal {
  return new Refusal(410, code, { message, details });
}

export function methodNotAllowed(methods: readonly string[]): Refusal {
  const headers = { allow: methods.join(', ') };
  return new Refusal(405, 'method_not_allowed', { message: 'The route has other methods.', headers });
}

export function forbidden(): Refusal {
  return new Refusal(403, 'policy_denied', { message: 'Policy does not allow this.' });
}

export function notAvailable(): Refusal {
  return new Refusal(503, 'unavailable', {
    message: 'A part that this needs is not available.',
    headers: { 'retry-after': '1' },
  });
}

/** More than may be asked, or may wait: what was refused has changed nothing. */
export function rateLimited(retryAfterMs: number): Refusal {
  return new Refusal(429, 'rate_limited', {
    message: 'More of this is asked than is done at once here; ask again after Retry-After.',
    details: { retry_after_ms: retryAfterMs },
    headers: { 'retry-after': String(Math.ceil(retryAfterMs / 1_000)) },
  });
}

/**
 * RFC 6750 section 3.1. The challenge names all that a client should ask its authorization server for: what this needs, and
 * what of ours the token has already, so that stepping up loses nothing (MCP 2025-11-25, "Scope Challenge Handling").
 */
export function insufficientScope(
  scopes: {
    readonly lacked: readonly string[];
    readonly needed: readonly string[];
    readonly held: readonly string[];
  },
  metadataUrl?: string,
): Refusal {
  const { lacked, needed, held } = scopes;
  const wanted = [...new Set([...needed, ...held])].join(' ');
  const parts = ['realm="uar"', 'error="insufficient_scope"', `scope="${wanted}"`];
  if (metadataUrl !== undefined) parts.push(`resource_metadata="${metadataUrl}"`);
  return new Refusal(403, 'insufficient_scope', {
    message: `The token lacks the scope ${lacked.join(' ')}.`,
    details: { required: needed },
    headers: { 'www-authenticate': `Bearer ${parts.join(', ')}` },
  });
}

/** RFC 6750 section 3. `metadataUrl`: where RFC 9728 metadata stands; absent in secret mode. */
export function unauthorized(isTokenBad: boolean, metadataUrl?: string): Refusal {
  const parts = ['realm="uar"'];
  if (isTokenBad) parts.push('error="invalid_token"');
  if (metadataUrl !== undefined) parts.push(`resource_metadata="${metadataUrl}"`);
  const message = isTokenBad ? 'The bearer token is not accepted.' : 'A bearer token is needed.';
  return new Refusal(401, 'unauthorized', {
    message,
    headers: { 'www-authenticate': `Bearer ${parts.join(', ')}` },
  });
}
