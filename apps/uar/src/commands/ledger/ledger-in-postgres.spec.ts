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
    for (const way of ['pg_dump', 'pg_restore', 'uar ledger check', 'postgres://***@db.example/uar'])
      expect(err).toContain(way);
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
