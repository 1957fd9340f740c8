import type { Algorithm, CheckingKey, SigningKey } from './statement-keys.js';

/**
 * A signed statement in compact form: `<base64url header>.<base64url body>.<base64url signature>` (the shape of
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
  /** `now`: epoch milliseconds; a key that has expired is not known any more. */
  open(text: string, now: number): Opened;
}

const maxChars = 8192;
/** Signatures are 32 bytes or 64. */
const shape = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.(?:[A-Za-z0-9_-]{43}|[A-Za-z0-9_-]{86})$/;

export function createStatementSigner({ key, typ }: { key: SigningKey; typ: string }): StatementSigner {
  const header = headerOf(key, typ);
  return {
    keyId: key.keyId,
    sign(body) {
      const signed = `${header}.${Buffer.from(JSON.stringify(body)).toString('base64url')}`;
      return `${signed}.${key.sign(signed).toString('base64url')}`;
    },
  };
}

/** The keys that a reader takes, each under the one header that names it. */
export class StatementKeys {
  readonly #byHeader = new Map<string, CheckingKey>();

  constructor(
    readonly typ: string,
    keys: readonly CheckingKey[],
  ) {
    for (const key of keys) this.add(key);
    if (keys.length === 0) throw new Error('a reader of statements needs a public key');
  }

  get size(): number {
    return this.#byHeader.size;
  }

  add(key: CheckingKey): void {
    this.#byHeader.set(headerOf(key, this.typ), key);
  }

  forgetExpired(now: number): void {
    for (const [header, key] of this.#byHeader) if (!isInForce(key, now)) this.#byHeader.delete(header);
  }

  find(header: string, now: number): CheckingKey | undefined {
    const key = this.#byHeader.get(header);
    return key !== undefined && isInForce(key, now) ? key : undefined;
  }
}

export function createStatementReader(keys: StatementKeys): StatementReader {
  return {
    open(text, now) {
      if (text.length > maxChars || !shape.test(text)) return refused('malformed');
      const [header = '', body = '', signature = ''] = text.split('.');
      const key = keys.find(header, now);
      if (key === undefined) return refused(headerProblem(header, keys.typ));
      const bytes = Buffer.from(signature, 'base64url');
      if (bytes.length !== key.signatureBytes || bytes.toString('base64url') !== signature)
        return refused('malformed');
      if (!key.holds(text.slice(0, -signature.length - 1), bytes)) return refused('bad_signature');
      return { kind: 'opened', body: JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) };
    },
  };
}

function refused(cause: Extract<Opened, { kind: 'refused' }>['cause']): Opened {
  return { kind: 'refused', cause };
}

function isInForce({ expiresAt }: CheckingKey, now: number): boolean {
  return expiresAt === undefined || now < expiresAt;
}

function headerOf({ alg, keyId }: { alg: Algorithm; keyId: string }, typ: string): string {
  return Buffer.from(JSON.stringify({ alg, kid: keyId, typ })).toString('base64url');
}

/** A header that fits but for its key id points at a rotated key; everything else was made elsewhere. */
function headerProblem(header: string, typ: string): 'bad_header' | 'unknown_key' {
  const text = Buffer.from(header, 'base64url').toString('utf8');
  const keyId = /^\{"alg":"(?:EdDSA|HS256)","kid":"([0-9a-f]{16})"/.exec(text)?.[1];
  if (keyId === undefined) return 'bad_header';
  const isOurs = (['EdDSA', 'HS256'] as const).some((alg) => headerOf({ alg, keyId }, typ) === header);
  return isOurs ? 'unknown_key' : 'bad_header';
}
