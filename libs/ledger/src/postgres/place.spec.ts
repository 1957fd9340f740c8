import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { nameOf, placeOf, tlsOf } from './place.js';

it('is named without its user', () => {
  expect(nameOf(placeOf('postgres://uar@127.0.0.1:6543/plane'))).toBe('127.0.0.1:6543/plane');
  const withSchema = placeOf('postgres://uar@db.example/plane?search_path=ledger');
  expect(nameOf(withSchema)).toBe('db.example:5432/plane (schema ledger)');
});

it('is nowhere where its URL is bad, which is not repeated', () => {
  const refused = (message: string) => expect.objectContaining({ kind: 'unavailable', message });
  expect(() => placeOf('postgres://uar:hunter2@host/plane')).toThrow(
    refused('the URL of the ledger holds a password'),
  );
  expect(() => placeOf('postgres://uar@host:0/plane')).toThrow(refused('the URL of the ledger names port 0'));
});

it('is encrypted to as its URL says, with the certificates that it names', () => {
  const tls = (query: string) => tlsOf(placeOf(`postgres://uar@db.example/plane${query}`));
  expect(tls('')).toEqual({});
  expect(tls('?sslmode=disable')).toBe(false);
  expect(tls('?sslmode=require')).toEqual({ rejectUnauthorized: false });
  const folder = mkdtempSync(join(tmpdir(), 'uar-certificates-'));
  try {
    writeFileSync(join(folder, 'ca.pem'), 'certificates');
    expect(tls(`?sslrootcert=${folder}/ca.pem`)).toEqual({ ca: 'certificates' });
    expect(tls(`?sslmode=verify-ca&sslrootcert=${folder}/ca.pem`)).toEqual({
      ca: 'certificates',
      checkServerIdentity: expect.any(Function),
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
