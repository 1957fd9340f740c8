import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { CompactEncrypt, compactDecrypt } from 'jose';

/** Public half of a P-256 key (RFC 7517, RFC 7518 6.2.1). */
export interface PublicJwk {
  readonly kty: 'EC';
  readonly crv: 'P-256';
  readonly x: string;
  readonly y: string;
}

/** One who is told secrets: whoever has the public half encrypts, nobody else reads. */
export interface JweRecipient {
  readonly publicJwk: PublicJwk;
  /** The text in a compact JWE (RFC 7516). Rejects where it was not encrypted to this recipient, or not in our way. */
  decrypt(jwe: string): Promise<string>;
}

const alg = 'ECDH-ES';
const enc = 'A256GCM';

/** With a key of its own that ends with the process. */
export function createJweRecipient(): JweRecipient {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const rules = { keyManagementAlgorithms: [alg], contentEncryptionAlgorithms: [enc] };
  return {
    publicJwk: { kty: 'EC', crv: 'P-256', x, y },
    async decrypt(jwe) {
      const { plaintext } = await compactDecrypt(jwe, privateKey, rules);
      return Buffer.from(plaintext).toString('utf8');
    },
  };
}

/** Encrypts text to the recipient. Rejects where that is no key. */
export async function encryptTo({ kty, crv, x, y }: PublicJwk, text: string): Promise<string> {
  const key = createPublicKey({ key: { kty, crv, x, y }, format: 'jwk' });
  return await new CompactEncrypt(Buffer.from(text)).setProtectedHeader({ alg, enc }).encrypt(key);
}
