/** Why a request is not taken, thrown at the edge and written as an error body by `ErrorFilter`. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly more: { readonly details?: unknown; readonly headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message);
  }
}

export function badRequest(message: string, details?: unknown): Refusal {
  return new Refusal(400, 'bad_request', message, details === undefined ? {} : { details });
}

export function notFound(what = 'There is nothing here.'): Refusal {
  return new Refusal(404, 'not_found', what);
}

export function forbidden(): Refusal {
  return new Refusal(403, 'policy_denied', 'Policy does not allow this.');
}

export function notAvailable(): Refusal {
  const headers = { 'retry-after': '1' };
  return new Refusal(503, 'unavailable', 'A part that this needs is not available.', { headers });
}

/** RFC 6750 section 3. `metadataUrl`: where RFC 9728 metadata stands; absent in secret mode. */
export function unauthorized(isTokenBad: boolean, metadataUrl?: string): Refusal {
  const parts = ['realm="uar"'];
  if (isTokenBad) parts.push('error="invalid_token"');
  if (metadataUrl !== undefined) parts.push(`resource_metadata="${metadataUrl}"`);
  const message = isTokenBad ? 'The bearer token is not accepted.' : 'A bearer token is needed.';
  return new Refusal(401, 'unauthorized', message, {
    headers: { 'www-authenticate': `Bearer ${parts.join(', ')}` },
  });
}
