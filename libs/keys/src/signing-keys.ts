import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  type KeyObject,
} from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ensureSecretFile, readSecretFile } from './secret-file.js';

/**
 * The Ed25519 private key at `privatePath` (PKCS 8 PEM, made with mode 0600 where there is none). Its public half (SPKI PEM)
 * is written to `publicPath` when the key was made just now, or when nothing is there and that place can be written: a
 * key that is mounted read-only may come without. Throws when `publicPath` holds the half of another key.
 */
export function ensureSigningKeys(privatePath: string, publicPath: string): KeyObject {
  let made: string | undefined;
  const pem = ensureSecretFile(privatePath, () => (made = newPrivatePem()));
  const key = createPrivateKey(pem);
  if (pem === made) writePublicHalf(key, publicPath);
  else if (existsSync(publicPath)) refuseOtherHalf(key, { privatePath, publicPath });
  else writeWherePossible(key, publicPath);
  return key;
}

/** Where the public half of the receipt key lies: what `uar receipts verify --public-key` takes elsewhere. */
export function receiptPublicPath(privatePath: string): string {
  return join(dirname(privatePath), 'receipts.pub');
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

function newPrivatePem(): string {
  const { privateKey } = generateKeyPairSync('ed25519');
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString().trimEnd();
}

/** At once: whoever waits for the file never reads half of it. */
function writePublicHalf(key: KeyObject, path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(draft, createPublicKey(key).export({ type: 'spki', format: 'pem' }), { mode: 0o644 });
    renameSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
}

const notWritable = ['EACCES', 'EPERM', 'EROFS'];

function writeWherePossible(key: KeyObject, path: string): void {
  try {
    writePublicHalf(key, path);
  } catch (error) {
    if (!notWritable.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

function refuseOtherHalf(key: KeyObject, paths: { privatePath: string; publicPath: string }): void {
  if (keyIdOf(readPublicKey(paths.publicPath)) === keyIdOf(key)) return;
  throw new Error(
    `${paths.publicPath} is not the public half of ${paths.privatePath}: remove it or replace it`,
  );
}
