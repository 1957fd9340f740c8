import { createPublicKey } from 'node:crypto';
import { sharedPostgresDatabase, startPostgres } from '@uar/testkit';
import { beforeEach, describe, expect, it } from 'vitest';
import { acme, receipt } from '../../conformance/samples.fixture.js';
import { checkLedger } from '../../copies/check.js';
import type { Ledger } from '../../ledger.js';
import { openLedger, type PostgresLedgerOptions } from '../../open-ledger.js';
import { optionsIn, query, withPostgres } from './postgres.fixture.js';

/** Puts an x before a text in one row. */
function replaced(text: string, seq: number): string {
  return `UPDATE receipts SET receipt = replace(receipt, '${text}', 'x${text}') WHERE seq = ${seq}`;
}

withPostgres('a ledger in Postgres', () => {
  let options: PostgresLedgerOptions;
  beforeEach(async () => {
    options = optionsIn(await sharedPostgresDatabase());
  });

  async function session<T>(use: (ledger: Ledger) => Promise<T>): Promise<T> {
    const ledger = await openLedger(options);
    try {
      return await use(ledger);
    } finally {
      await ledger.close();
    }
  }
  const append = (count: number) =>
    session(async (ledger) => {
      for (let n = 0; n < count; n += 1) await ledger.appendReceipts({ receipts: [receipt()] });
    });
  const refused = (kind: string, message: string) =>
    expect(session(() => Promise.resolve())).rejects.toMatchObject({
      kind,
      message: expect.stringContaining(message),
    });
  const checked = () => checkLedger({ ...options, publicKeys: [createPublicKey(options.signingKey)] });

  describe('is not opened', () => {
    it('where nobody listens, or there is no such database', async () => {
      const { url } = options;
      options = { ...options, url: url.replace(/test_\d+/, 'nowhere') };
      await refused('unavailable', 'database "nowhere" does not exist');
      options = { ...options, url: 'postgres://uar@127.0.0.1:1/plane' };
      await refused('unavailable', 'ECONNREFUSED');
    });

    it('at a URL that says too little or too much', async () => {
      options = { ...options, url: `${options.url}?sslmode=prefer` };
      await refused('unavailable', 'the URL of the ledger has an sslmode that is none of disable');
    });

    it('in a database of another encoding', async () => {
      await query(options, `CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1'`);
      options = { ...options, url: options.url.replace(/test_\d+/, 'latin') };
      await refused('unavailable', 'LATIN1');
    });

    it('in a schema that is not there', async () => {
      options = { ...options, url: `${options.url}?search_path=nowhere` };
      await refused('unavailable', 'there is no schema nowhere');
    });

    it('among tables of something else', async () => {
      await query(options, 'CREATE TABLE settings (n int)');
      await refused('corrupt', 'search_path');
    });

    it('once a later version has been there', async () => {
      await append(1);
      await query(options, `INSERT INTO schema_migrations VALUES (1000, 'later', 'now')`);
      await refused('too_new', 'has schema 1000, this version knows');
      expect(checked).toThrow('has schema 1000');
    });

    it('by a user without the rights, before any call depends on them', async () => {
      await append(1);
      await query(options, `CREATE ROLE weak LOGIN PASSWORD 'weak'`);
      const url = options.url.replace('uar@', 'weak@');
      const asWeak = openLedger({ ...options, url, password: 'weak' });
      await expect(asWeak).rejects.toMatchObject({
        kind: 'unavailable',
        message: expect.stringContaining('lacks a right'),
      });
      const { url: empty } = await sharedPostgresDatabase();
      const anew = openLedger({ ...options, url: empty.replace('uar@', 'weak@'), password: 'weak' });
      await expect(anew).rejects.toMatchObject({
        kind: 'unavailable',
        message: expect.stringContaining('permission denied for schema public'),
      });
    });
  });

  it.each([
    [
      'its last receipt gone',
      'DELETE FROM receipts WHERE seq = 5',
      'ends at 4 and does not contain its signed head 5',
    ],
    ['its last receipt changed', replaced('hash', 5), 'does not contain its signed head 5'],
    ['its heads gone', 'DELETE FROM signed_heads', 'it has 0 lines of 5 written'],
    [
      'its heads gone and their count forged',
      'DELETE FROM signed_heads; UPDATE heads_written SET lines = 0',
      'no signed head covers receipts 1 to 5',
    ],
    [
      'a head that was altered',
      `UPDATE signed_heads SET line = replace(line, '"at":"2', '"at":"1') WHERE seq = 5`,
      'the signature of head 5 does not hold',
    ],
    ['a head that is none', `UPDATE signed_heads SET line = '{}' WHERE seq = 5`, 'is not a signed head'],
    [
      'a checkpoint that nobody signed',
      `INSERT INTO checkpoints VALUES ('acme', 2, '{}')`,
      'what stands for the removed receipts is no checkpoint',
    ],
  ])('is neither opened nor found in order with %s', async (_, sql, problem) => {
    await append(5);
    expect(checked().chains.get(acme)).toMatchObject({ ok: true, length: 5 });
    await query(options, sql);
    await refused('corrupt', problem);
    expect(checked).toThrow(problem);
  });

  it('is found broken by its verification where a receipt in the middle was changed', async () => {
    await append(5);
    await query(options, `UPDATE receipts SET receipt = replace(receipt, 'ann', 'bob') WHERE seq = 3`);
    expect(checked().chains.get(acme)).toMatchObject({ ok: false, broken_at: 3 });
  });

  it.each(['at', 'principal', 'outcome', 'server', 'raw_name', 'ended_call'])(
    'is found broken where the column %s of a receipt says something else',
    async (column) => {
      await append(5);
      for (const value of [`'2001-01-01T00:00:00.000Z'`, 'NULL']) {
        await query(options, `UPDATE receipts SET ${column} = ${value} WHERE seq = 3`);
        expect(checked().chains.get(acme)).toMatchObject({ ok: false, broken_at: 3 });
      }
    },
  );

  it('is not truncated by what a column says', async () => {
    await append(3);
    await query(options, `UPDATE receipts SET at = '2001-01-01T00:00:00.000Z'`);
    const before = Date.parse('2002-01-01T00:00:00.000Z');
    const walked = await session((ledger) => ledger.walkAged({ tenant: acme, before, limit: 10 }));
    expect(walked).toEqual({ kind: 'none' });
  });

  it('is not opened in a server that forgets what it answered', async () => {
    const server = await startPostgres();
    try {
      options = optionsIn(await server.createDatabase());
      await server.restart({ fsync: 'off' });
      await refused('unavailable', 'fsync = off');
      await server.restart({ full_page_writes: 'off' });
      await refused('unavailable', 'full_page_writes = off');
      await server.restart({ synchronous_commit: 'off' });
      await append(1);
    } finally {
      await server.stop();
    }
  });
});
