import { createPublicKey } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  ensureSigningKeys,
  keyIdOf,
  readPrivateKey,
  readPublicKey,
  receiptPublicPath,
} from './signing-keys.js';

let folder: string;
let privatePath: string;
let publicPath: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'uar-keys-'));
  privatePath = join(folder, 'keys', 'grant.key');
  publicPath = join(folder, 'keys', 'grant.pub');
});
afterEach(() => {
  chmodSync(folder, 0o700);
  rmSync(folder, { recursive: true, force: true });
});

/** Nobody's rights: the tests of a container's root would write through every mode. */
function asServiceUser<T>(act: () => T): T {
  if (process.geteuid?.() !== 0) return act();
  process.seteuid?.(10_001);
  try {
    return act();
  } finally {
    process.seteuid?.(0);
  }
}

describe('a pair that is not there yet', () => {
  it('is made, the private half for its owner alone', () => {
    const key = ensureSigningKeys(privatePath, publicPath);
    expect(keyIdOf(readPrivateKey(privatePath))).toBe(keyIdOf(key));
    expect(keyIdOf(readPublicKey(publicPath))).toBe(keyIdOf(key));
    expect(statSync(privatePath).mode & 0o077).toBe(0);
    expect(readdirSync(join(folder, 'keys')).sort()).toEqual(['grant.key', 'grant.pub']);
  });

  it('replaces the public half of a key that is gone', () => {
    ensureSigningKeys(privatePath, publicPath);
    rmSync(privatePath);
    const key = ensureSigningKeys(privatePath, publicPath);
    expect(keyIdOf(readPublicKey(publicPath))).toBe(keyIdOf(key));
  });

  it('makes the folder of the public half', () => {
    const elsewhere = join(folder, 'public', 'deep', 'grant.pub');
    const key = ensureSigningKeys(privatePath, elsewhere);
    expect(keyIdOf(readPublicKey(elsewhere))).toBe(keyIdOf(key));
  });
});

describe('a private key that is there', () => {
  it('stays, and so does its public half', () => {
    const key = ensureSigningKeys(privatePath, publicPath);
    const before = statSync(publicPath);
    expect(keyIdOf(ensureSigningKeys(privatePath, publicPath))).toBe(keyIdOf(key));
    expect(statSync(publicPath).ino).toBe(before.ino);
    expect(statSync(publicPath).mtimeMs).toBe(before.mtimeMs);
  });

  it('gets a public half where that is missing', () => {
    const key = ensureSigningKeys(privatePath, publicPath);
    rmSync(publicPath);
    ensureSigningKeys(privatePath, publicPath);
    expect(keyIdOf(readPublicKey(publicPath))).toBe(keyIdOf(key));
  });

  it('does without one in a folder that is mounted read-only', () => {
    const mounted = join(folder, 'receipt-private');
    const beside = receiptPublicPath(mounted);
    const made = ensureSigningKeys(mounted, beside);
    rmSync(beside);
    chmodSync(mounted, 0o444);
    chmodSync(folder, 0o555);
    const key = asServiceUser(() => ensureSigningKeys(mounted, beside));
    expect(keyIdOf(key)).toBe(keyIdOf(made));
    expect(existsSync(beside)).toBe(false);
  });

  it('refuses the public half of another key', () => {
    ensureSigningKeys(privatePath, publicPath);
    const other = join(folder, 'keys', 'other.key');
    ensureSigningKeys(other, join(folder, 'keys', 'other.pub'));
    expect(() => ensureSigningKeys(other, publicPath)).toThrow('is not the public half of');
  });
});

it('does not start without a key in a folder that is mounted read-only', () => {
  mkdirSync(join(folder, 'keys'), { mode: 0o555 });
  chmodSync(folder, 0o555);
  expect(() => asServiceUser(() => ensureSigningKeys(privatePath, publicPath))).toThrow(/EACCES/);
});

it('lays the public half of the receipt key beside it under one name', () => {
  expect(receiptPublicPath('/run/secrets/receipt-private')).toBe('/run/secrets/receipts.pub');
  expect(receiptPublicPath('/data/keys/receipts.key')).toBe('/data/keys/receipts.pub');
});

it('names a pair by either half', () => {
  const key = ensureSigningKeys(privatePath, publicPath);
  expect(keyIdOf(createPublicKey(key))).toBe(keyIdOf(key));
  expect(keyIdOf(key)).toMatch(/^[0-9a-f]{16}$/);
});
