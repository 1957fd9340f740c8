import type { IncomingHttpHeaders } from 'node:http';
import { extractWWWAuthenticateParams } from '@modelcontextprotocol/sdk/client/auth.js';
import type { Hints } from '../../domain/account/ports.js';

const longest = 8 * 1024;

/** What the Bearer challenge of a 401 or 403 says; nothing where there is none. */
export function hintsOf({ 'www-authenticate': header = '' }: IncomingHttpHeaders): Hints {
  const start = header.search(/(?:^|[\s,])bearer(?:\s|$)/i);
  if (start === -1 || header.length > longest) return {};
  const challenge = header.slice(start).replace(/^[\s,]+/, '');
  const { resourceMetadataUrl, scope, error } = extractWWWAuthenticateParams(
    new Response(null, { headers: { 'www-authenticate': challenge } }),
  );
  return {
    ...(resourceMetadataUrl === undefined ? {} : { resourceMetadata: resourceMetadataUrl.href }),
    ...(scope === undefined ? {} : { scope }),
    ...(error === undefined ? {} : { error }),
  };
}
