import { createHmac, sign, timingSafeEqual, verify, type KeyObject } from 'node:crypto';
import { keyIdOf } from '@uar/keys';

/** As JOSE names them (RFC 7518, RFC 8037). */
export type Algorithm = 'EdDSA' | 'HS256';

interface NamedKey {
  readonly alg: Algorithm;
  readonly keyId: string;
}

export interface SigningKey extends NamedKey {
  sign(text: string): Buffer;
}

export interface CheckingKey extends NamedKey {
  readonly signatureBytes: number;
  /** Epoch milliseconds; absent: as long as whoever reads. */
  readonly expiresAt?: number;
  holds(text: string, signature: Buffer): boolean;
}

export function ed25519Signing(privateKey: KeyObject): SigningKey {
  if (privateKey.type !== 'private' || privateKey.asymmetricKeyType !== 'ed25519')
    throw new Error('statements are signed with an Ed25519 private key');
  return {
    alg: 'EdDSA',
    keyId: keyIdOf(privateKey),
    sign: (text) => sign(null, Buffer.from(text), privateKey),
  };
}

export function ed25519Checking(publicKey: KeyObject): CheckingKey {
  if (publicKey.type !== 'public' || publicKey.asymmetricKeyType !== 'ed25519')
    throw new Error('statements are verified with Ed25519 public keys');
  return {
    alg: 'EdDSA',
    keyId: keyIdOf(publicKey),
    signatureBytes: 64,
    holds: (text, signature) => verify(null, Buffer.from(text), publicKey, signature),
  };
}

/** A secret of two: who checks with it could have signed. */
export function macKey(agreed: {
  readonly keyId: string;
  readonly secret: KeyObject;
  readonly expiresAt: number;
}): SigningKey & CheckingKey {
  const { keyId, secret, expiresAt } = agreed;
  const mac = (text: string): Buffer => createHmac('sha256', secret).update(text).digest();
  return {
    alg: 'HS256',
    keyId,
    signatureBytes: 32,
    expiresAt,
    sign: mac,
    holds: (text, signature) => timingSafeEqual(mac(text), signature),
  };
}
