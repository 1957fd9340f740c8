import { scanJson } from '@uar/json-text';
import { isJsonObject, isName, ownMember, type JsonObject } from './claim-values.js';
import { refuse, type Refusal } from './refusal.js';

export type Algorithm = 'HS256' | 'RS256' | 'ES256' | 'EdDSA';

/** A token whose text is sound. Nothing of it is verified yet. */
export interface ReadToken {
  readonly kind: 'read';
  readonly algorithm: Algorithm;
  readonly keyId: string | undefined;
  readonly claims: JsonObject;
}

/** Longest token in bytes. */
const maxTokenBytes = 8192;

const shape = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;
/** Members that bring a key, change what is signed, or must be understood: RFC 7515 4.1, RFC 7797. */
const refusedMembers = ['jku', 'x5u', 'jwk', 'x5c', 'crit', 'b64'];
/** RFC 8725 3.11: a token made for another purpose says so in `typ`. */
const acceptedTypes = ['jwt', 'at+jwt', 'application/jwt', 'application/at+jwt'];
const limits = { maxDepth: 32, maxNodes: 4096 };
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Compact JWS (RFC 7515) read strictly: sizes, alphabet, UTF-8, JSON without duplicate members, header by allow-list. */
export function readToken(token: string, algorithms: readonly Algorithm[]): ReadToken | Refusal {
  if (token.length > maxTokenBytes) return refuse('too_large');
  if (!shape.test(token)) return refuse('malformed');
  const [headerPart, claimsPart, signaturePart] = token.split('.');
  if (headerPart === undefined || claimsPart === undefined || signaturePart === undefined)
    return refuse('malformed');
  if (!isCanonical(signaturePart)) return refuse('malformed');
  const header = readPart(headerPart);
  if (header.kind === 'invalid') return header;
  const claims = readPart(claimsPart);
  if (claims.kind === 'invalid') return claims;
  const algorithm = algorithms.find((name) => name === ownMember(header.object, 'alg'));
  if (algorithm === undefined) return refuse('algorithm_refused');
  if (!headerHolds(header.object)) return refuse('header_refused');
  const keyId = ownMember(header.object, 'kid');
  return {
    kind: 'read',
    algorithm,
    keyId: typeof keyId === 'string' ? keyId : undefined,
    claims: claims.object,
  };
}

function headerHolds(header: JsonObject): boolean {
  if (refusedMembers.some((name) => Object.hasOwn(header, name))) return false;
  const keyId = ownMember(header, 'kid');
  if (keyId !== undefined && !isName(keyId)) return false;
  const type = ownMember(header, 'typ');
  return type === undefined || (typeof type === 'string' && acceptedTypes.includes(type.toLowerCase()));
}

/** Base64url has one spelling for a byte string (RFC 4648 3.5): two texts of one token would be two cache entries. */
function isCanonical(part: string): boolean {
  return Buffer.from(part, 'base64url').toString('base64url') === part;
}

function readPart(part: string): { readonly kind: 'part'; readonly object: JsonObject } | Refusal {
  if (!isCanonical(part)) return refuse('malformed');
  const text = decodeUtf8(Buffer.from(part, 'base64url'));
  if (text === undefined) return refuse('malformed');
  const scan = scanJson(text, limits);
  if (scan.kind === 'bad')
    return refuse(scan.problem === 'duplicate_member' ? 'duplicate_member' : 'malformed');
  const value: unknown = JSON.parse(text);
  return isJsonObject(value) ? { kind: 'part', object: value } : refuse('malformed');
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
