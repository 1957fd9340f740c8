import { sign, verify, type KeyObject } from 'node:crypto';
import { keyIdOf } from '@uar/keys';

/**
 * A signed statement in compact form: `<base64url header>.<base64url body>.<base64url Ed25519 signature>` (the shape of
 * RFC 7515, without its freedom). The header is compared as a whole with the few a reader expects, so neither an
 * algorithm nor a key nor a type can be chosen by whoever hands it in.
 */
export interface StatementSigner {
  readonly keyId: string;
  sign(body: unknown): string;
}

export type Opened =
  | { readonly kind: 'opened'; readonly body: unknown }
  | {
      readonly kind: 'refused';
      readonly cause: 'malformed' | 'bad_header' | 'unknown_key' | 'bad_signature';
    };

export interface StatementReader {
  open(text: string): Opened;
}

const maxChars = 8192;
const signatureBytes = 64;
const shape = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{86}$/;

export function createStatementSigner(options: { privateKey: KeyObject; typ: string }): StatementSigner {
  const { privateKey, typ } = options;
  if (privateKey.type !== 'private' || privateKey.asymmetricKeyType !== 'ed25519')
    throw new Error('statements are signed with an Ed25519 private key');
  const keyId = keyIdOf(privateKey);
  const header = headerOf(keyId, typ);
  return {
    keyId,
    sign(body) {
      const signed = `${header}.${Buffer.from(JSON.stringify(body)).toString('base64url')}`;
      return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`;
    },
  };
}

export function createStatementReader(options: {
  publicKeys: readonly KeyObject[];
  typ: string;
}): StatementReader {
  const keys = new Map(
    options.publicKeys.map((key) => [headerOf(keyIdOf(key), options.typ), publicHalf(key)]),
  );
  if (keys.size === 0) throw new Error('a reader of statements needs a public key');
  return {
    open(text) {
      if (text.length > maxChars || !shape.test(text)) return { kind: 'refused', cause: 'malformed' };
      const [header = '', body = '', signature = ''] = text.split('.');
      const key = keys.get(header);
      if (key === undefined) return { kind: 'refused', cause: headerProblem(header, options.typ) };
      const bytes = Buffer.from(signature, 'base64url');
      if (bytes.length !== signatureBytes || bytes.toString('base64url') !== signature)
        return { kind: 'refused', cause: 'malformed' };
      if (!verify(null, Buffer.from(`${header}.${body}`), key, bytes))
        return { kind: 'refused', cause: 'bad_signature' };
      return { kind: 'opened', body: JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) };
    },
  };
}

function publicHalf(key: KeyObject): KeyObject {
  if (key.type !== 'public' || key.asymmetricKeyType !== 'ed25519')
    throw new Error('statements are verified with Ed25519 public keys');
  return key;
}

function headerOf(kid: string, typ: string): string {
  return Buffer.from(JSON.stringify({ alg: 'EdDSA', kid, typ })).toString('base64url');
}

/** A header that fits but for its key id points at a rotated key; everything else was made elsewhere. */
function headerProblem(header: string, typ: string): 'bad_header' | 'unknown_key' {
  const kid = /^\{"alg":"EdDSA","kid":"([0-9a-f]{16})"/.exec(
    Buffer.from(header, 'base64url').toString('utf8'),
  )?.[1];
  return kid !== undefined && headerOf(kid, typ) === header ? 'unknown_key' : 'bad_header';
}
