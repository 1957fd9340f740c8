import { createPublicKey, createSecretKey, type KeyObject } from 'node:crypto';
import { JwtService } from '@nestjs/jwt';
import { compactVerify } from 'jose';
import type { Algorithm } from '../token-text.js';

/** One key, good for one algorithm, prepared once. */
export interface TokenKey {
  readonly algorithm: Algorithm;
  /** Whether the signature of this token was made with the key. Looks at no claim. */
  signed(token: string): boolean | Promise<boolean>;
}

export function secretTokenKey(secret: string): TokenKey {
  return nestKey('HS256', createSecretKey(Buffer.from(secret)));
}

/**
 * A public key as SPKI PEM. `declared`: the algorithm its owner names for it.
 * Undefined: a kind of key that none of our algorithms uses, or one declared for another.
 */
export function publicTokenKey(pem: string, declared: string | undefined): TokenKey | undefined {
  const key = createPublicKey(pem);
  const algorithm = algorithmOf(key);
  if (algorithm === undefined || (declared !== undefined && declared !== algorithm)) return undefined;
  return algorithm === 'EdDSA' ? edwardsKey(key) : nestKey(algorithm, key);
}

function algorithmOf(key: KeyObject): 'RS256' | 'ES256' | 'EdDSA' | undefined {
  const details = key.asymmetricKeyDetails;
  if (key.asymmetricKeyType === 'rsa') return (details?.modulusLength ?? 0) >= 2048 ? 'RS256' : undefined;
  if (key.asymmetricKeyType === 'ec') return details?.namedCurve === 'prime256v1' ? 'ES256' : undefined;
  return key.asymmetricKeyType === 'ed25519' ? 'EdDSA' : undefined;
}

/** Time claims are ours to judge, with our clock and skew (claim-rules.ts). */
function nestKey(algorithm: 'HS256' | 'RS256' | 'ES256', key: KeyObject): TokenKey {
  const service = new JwtService({ secretOrKeyProvider: () => key });
  const options = { algorithms: [algorithm], ignoreExpiration: true, ignoreNotBefore: true };
  return {
    algorithm,
    signed(token) {
      try {
        service.verify(token, { ...options });
        return true;
      } catch {
        return false;
      }
    },
  };
}

/** jsonwebtoken, under @nestjs/jwt, has no EdDSA. */
function edwardsKey(key: KeyObject): TokenKey {
  return {
    algorithm: 'EdDSA',
    async signed(token) {
      try {
        await compactVerify(token, key, { algorithms: ['EdDSA'] });
        return true;
      } catch {
        return false;
      }
    },
  };
}
