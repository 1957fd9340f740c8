import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureSigningKeys } from '@uar/keys';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { uarIn } from '../../command-line.fixture.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'uar-ledger-commands-'));
  ensureSigningKeys(join(folder, '.uar/keys/receipts.key'), join(folder, '.uar/keys/receipts.pub'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const env = { UAR_LEDGER_URL: 'postgres://uar@db.example/uar' };

describe('a ledger in PostgreSQL', () => {
  it.each(['backup', 'restore'])('has tools of its own for %s, which are named', async (verb) => {
    const { code, out, err } = await uarIn(folder, ['ledger', verb, 'copy.db'], env);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    for (const way of [verb === 'backup' ? 'pg_dump' : 'pg_restore', 'uar ledger check', 'docs/ledger.md'])
      expect(err).toContain(way);
  });

  it('that cannot be reached is said so, with the exit code for it', async () => {
    const nobody = { UAR_LEDGER_URL: 'postgres://uar@127.0.0.1:9/uar' };
    for (const command of [
      ['ledger', 'check'],
      ['receipts', 'verify', '--offline'],
    ])
      expect(await uarIn(folder, command, nobody)).toMatchObject({
        ...{ code: 3, err: expect.stringContaining('127.0.0.1:9/uar is not available') },
      });
  });

  it('has its heads in the database, so that others are for an export of it', async () => {
    const heads = join(folder, '.uar/keys/receipts.pub');
    const { code, err } = await uarIn(folder, ['receipts', 'verify', '--offline', '--heads', heads], env);
    expect(code).toBe(2);
    expect(err).toContain('uar receipts export');
  });

  it('is not looked at without its password', async () => {
    const without = { ...env, UAR_LEDGER_PASSWORD_FILE: 'gone' };
    for (const command of [
      ['ledger', 'check'],
      ['receipts', 'verify', '--offline'],
    ]) {
      const { code, err } = await uarIn(folder, command, without);
      expect(code).toBe(1);
      expect(err).toBe(`ledger.password_file: ${join(folder, 'gone')} cannot be read (ENOENT)\n`);
    }
  });
});
