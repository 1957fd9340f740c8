import { randomBytes } from 'node:crypto';
import { chmodSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Content of a secret file without the trailing line break. Throws what `readFileSync` throws. */
export function readSecretFile(path: string): string {
  return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
}

/**
 * Reads a secret file, or makes it with 32 random bytes as 64 hex digits (mode 0600, folder 0700).
 * Two processes that make it at once end up with the same content: the first link wins.
 */
export function ensureSecretFile(path: string, make: () => string = randomSecret): string {
  try {
    return readSecretFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  writeFileSync(draft, `${make()}\n`, { mode: 0o600, flag: 'wx' });
  chmodSync(draft, 0o600);
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readSecretFile(path);
}

function randomSecret(): string {
  return randomBytes(32).toString('hex');
}
