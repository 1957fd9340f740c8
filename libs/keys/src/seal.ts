import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** Encrypts small values at rest: AES-256-GCM (NIST SP 800-38D), bound to a purpose so that no value opens elsewhere. */
export interface Seal {
  /** `v1.<base64url of nonce, tag and cipher text>` */
  seal(plain: string, purpose: string): string;
  /** Throws when the text was not sealed with this key for this purpose. */
  open(sealed: string, purpose: string): string;
}

const nonceBytes = 12;
const tagBytes = 16;

/** `secret`: at least 32 bytes of text; the cipher key is derived from it (HKDF-SHA256, RFC 5869). */
export function createSeal(secret: string): Seal {
  if (Buffer.byteLength(secret) < 32) throw new Error('a data key needs at least 32 bytes');
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'uar/data/v1', 32));
  return {
    seal(plain, purpose) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(purpose));
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return `v1.${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')}`;
    },
    open(sealed, purpose) {
      if (!sealed.startsWith('v1.')) throw new Error('not a sealed value');
      const bytes = Buffer.from(sealed.slice(3), 'base64url');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes), {
        authTagLength: tagBytes,
      }).setAAD(Buffer.from(purpose));
      decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
      const body = decipher.update(bytes.subarray(nonceBytes + tagBytes));
      return Buffer.concat([body, decipher.final()]).toString('utf8');
    },
  };
}
