import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { ensureSecretFile, readSecretFile } from './secret-file.js';

/** Makes an Ed25519 pair where there is none: private PKCS 8 PEM (0600) at `privatePath`, public SPKI PEM at `publicPath`. */
export function ensureSigningKeys(privatePath: string, publicPath: string): void {
  const pem = ensureSecretFile(privatePath, () =>
    generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString().trimEnd(),
  );
  const publicPem = createPublicKey(createPrivateKey(pem)).export({ type: 'spki', format: 'pem' });
  writeFileSync(publicPath, publicPem, { mode: 0o644 });
}

export function readPrivateKey(path: string): KeyObject {
  return createPrivateKey(readSecretFile(path));
}

export function readPublicKey(path: string): KeyObject {
  return createPublicKey(readSecretFile(path));
}

/** First 16 hex digits of the sha256 of the public key's SPKI DER. Takes either half of a pair. */
export function keyIdOf(key: KeyObject): string {
  const half = key.type === 'private' ? createPublicKey(key) : key;
  return createHash('sha256')
    .update(half.export({ type: 'spki', format: 'der' }))
    .digest('hex')
    .slice(0, 16);
}
