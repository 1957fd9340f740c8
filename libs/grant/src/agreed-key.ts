import {
  createHash,
  createPublicKey,
  createSecretKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
} from 'node:crypto';

/** `typ` of the header of an offer. */
export const offerType = 'uar-key-offer+1';

/** How long a key holds from its offer on; the next one is offered at half of it. */
export const keyLifeMs = 3_600_000;
const secretBytes = 32;

/** One side's half of a key that two agree on (X25519, RFC 7748). */
export interface KeyHalf {
  readonly privateKey: KeyObject;
  /** The 32 bytes in base64url. */
  readonly publicKey: string;
}

export function newKeyHalf(): KeyHalf {
  const { privateKey, publicKey } = generateKeyPairSync('x25519');
  return { privateKey, publicKey: String(publicKey.export({ format: 'jwk' }).x) };
}

/**
 * The key of both, and its id. All that was said on the way goes into it: whoever changed a word of that has another key.
 * undefined where `theirs` is no half of a key, as some 32 bytes are not (RFC 7748, section 6.1).
 */
export function agreedKey(
  own: KeyHalf,
  theirs: string,
  said: { readonly offer: string; readonly answer: string },
): { readonly keyId: string; readonly secret: KeyObject } | undefined {
  const shared = sharedSecret(own, theirs);
  if (shared === undefined) return undefined;
  const transcript = createHash('sha256').update(`${said.offer}.${said.answer}`).digest();
  const secret = hkdfSync('sha256', shared, transcript, 'uar grants', secretBytes);
  return {
    keyId: transcript.toString('hex').slice(0, 16),
    secret: createSecretKey(Buffer.from(secret)),
  };
}

function sharedSecret({ privateKey }: KeyHalf, theirs: string): Buffer | undefined {
  try {
    const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'X25519', x: theirs }, format: 'jwk' });
    return diffieHellman({ privateKey, publicKey });
  } catch {
    return undefined;
  }
}
