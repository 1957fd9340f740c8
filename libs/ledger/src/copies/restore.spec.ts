import { generateKeyPairSync } from 'node:crypto';
import { copyFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifyLedgerFile } from '../chain/verify-file.js';
import { acme, beta, draft, receipt, startOfTime as now } from '../conformance/samples.fixture.js';
import { CopyFolder, append } from './copy-folder.fixture.js';
import { headsIn } from './ledger-copy.js';

let folder: CopyFolder;
beforeEach(() => {
  folder = new CopyFolder();
});
afterEach(() => folder.remove());

describe('a restore', () => {
  it('onto an empty folder gives the ledger back, with a receipt of it in every chain', async () => {
    await folder.session(append(5));
    await folder.session(append(2, beta));
    const made = await folder.backup();
    const file = join(dirname(folder.copy), 'new/ledger.db');
    const headsFile = join(dirname(folder.copy), 'new/heads.jsonl');
    expect(folder.restore({ file, headsFile })).toMatchObject({
      kind: 'restored',
      lost: [],
      kept: [],
      backupAt: made.at,
    });
    folder.options = { ...folder.options, file, headsFile };
    expect(folder.verified()).toMatchObject({ ok: true, length: 6 });
    await folder.session(async (ledger) => {
      expect(await ledger.ask('readReceipt', { tenant: acme, seq: 6 })).toMatchObject({
        receipt: { kind: 'admin', action: 'ledger.restore', cause: `the backup of ${made.at}` },
      });
      expect(await ledger.ask('readReceipt', { tenant: beta, seq: 3 })).toMatchObject({ kind: 'found' });
    });
  });

  it('names what would be lost, and loses exactly what was accepted', async () => {
    await folder.session(append(5));
    await folder.backup();
    await folder.session(append(4));
    await folder.session(append(2, beta));
    const shipped = headsIn(folder.options.headsFile);
    const lost = [
      { tenant: 'acme', from: 6, through: 9, count: 4 },
      { tenant: 'beta', from: 1, through: 2, count: 2 },
    ];
    const before = readFileSync(folder.options.file);
    for (const accepted of [{}, { acme: 4 }, { acme: 3, beta: 2 }, { acme: 4, beta: 2, more: 1 }])
      expect(folder.restore({ acceptLoss: new Map(Object.entries(accepted)) })).toMatchObject({
        kind: 'would_lose',
        lost,
      });
    expect(readFileSync(folder.options.file)).toEqual(before);
    const done = folder.restore({ acceptLoss: new Map(Object.entries({ acme: 4, beta: 2 })) });
    expect(done).toMatchObject({ kind: 'restored', lost });
    expect(folder.leftovers).toEqual([]);
    await folder.session(append(10));
    expect(folder.verified()).toMatchObject({ ok: true, length: 16 });
    expect(folder.verified(shipped)).toMatchObject({ ok: false, broken_at: 9 });
    const kept = done.kind === 'restored' ? done.kept : [];
    expect(kept.map((path) => path.replace(/.*\/(ledger.db|heads.jsonl).replaced.*/, '$1'))).toEqual([
      'heads.jsonl',
      'ledger.db',
    ]);
    const [heads, file] = kept;
    expect(
      verifyLedgerFile({ file: file ?? '', headsFile: heads ?? '', publicKeys: folder.publicKeys }).get(acme),
    ).toMatchObject({ ok: true, length: 9 });
  });

  it('does not bring an approval back to life that may have been spent since', async () => {
    await folder.session((ledger) =>
      ledger.ask('createApproval', { draft: draft(), limits: { maxPending: 9, maxNewPerMinute: 9 }, now }),
    );
    await folder.session(append(1));
    await folder.backup();
    expect(folder.restore()).toMatchObject({ kind: 'restored' });
    await folder.session(async (ledger) => {
      const [approval] = await ledger.ask('listApprovals', { tenant: acme, limit: 10 });
      expect(approval?.status).toBe('channel_closed');
    });
  });

  it('goes back to a later moment of a history that was given up, as a loss of what came instead', async () => {
    await folder.session(append(5));
    await folder.backup();
    await folder.session(append(4));
    await folder.backup({ to: `${folder.copy}.later` });
    folder.restore({ acceptLoss: new Map([['acme', 4]]) });
    await folder.session(append(2));
    expect(folder.restore({ from: `${folder.copy}.later` })).toMatchObject({
      kind: 'would_lose',
      lost: [{ tenant: 'acme', from: 6, through: 8, count: 3 }],
    });
    const accepted = { acceptLoss: new Map([['acme', 3]]), now: now + 1 };
    expect(folder.restore({ from: `${folder.copy}.later`, ...accepted })).toMatchObject({ kind: 'restored' });
    expect(folder.verified()).toMatchObject({ ok: true, length: 10 });
  });

  it('loses nothing where the backup begins after a checkpoint', async () => {
    for (let n = 0; n < 4; n += 1) await folder.session(append(5));
    await folder.session(async (ledger) => {
      const before = Date.parse(receipt().at) + 1;
      const walked = await ledger.ask('walkAged', { tenant: acme, before, limit: 12 });
      if (walked.kind !== 'aged') throw new Error(walked.kind);
      await ledger.ask('truncateReceipts', { through: walked.end, receipt: receipt({ kind: 'admin' }) });
      await ledger.ask('sweepReceipts', { tenant: acme, limit: 100 });
    });
    await folder.backup();
    expect(folder.restore()).toMatchObject({ kind: 'restored', lost: [] });
    expect(folder.verified()).toMatchObject({ ok: true, length: 22, walked_from: 13 });
    await folder.session(append(1));
  });

  it('is refused while the ledger is in use', async () => {
    await folder.session(append(1));
    await folder.backup();
    await folder.session(() => {
      expect(() => folder.restore()).toThrow(/ledger\.db is in use by process/);
      return Promise.resolve();
    });
  });

  it.each([
    ['that is cut short', () => truncateSync(folder.copy, 40_960), 'is cut short: it has 40960 of'],
    ['that is no database', () => writeFileSync(folder.copy, 'no database'.repeat(500)), 'is no database'],
    ['that is not there', () => writeFileSync(folder.copy, ''), 'no ledger'],
    ['with a damaged page', () => damagePages(), 'fails its integrity check'],
    [
      'that is no backup',
      () => copyFileSync(folder.options.file, folder.copy),
      'was not made by uar ledger backup',
    ],
    [
      'with a changed receipt',
      () =>
        folder.edit(
          folder.copy,
          `UPDATE receipts SET receipt = replace(receipt, 'ann', 'bob') WHERE seq = 4`,
        ),
      'broken at receipt 4',
    ],
    [
      'that lacks its end',
      () => folder.edit(folder.copy, 'DELETE FROM receipts WHERE seq > 15'),
      'broken at receipt 16',
    ],
    [
      'of a later version',
      () => folder.edit(folder.copy, `INSERT INTO schema_migrations VALUES (99, 'x', 'y')`),
      'has schema 99',
    ],
  ])('refuses a copy %s, and changes nothing', async (_, harm, problem) => {
    await folder.session(append(12));
    await folder.session(append(8));
    await folder.backup();
    harm();
    const before = readFileSync(folder.options.file);
    expect(() => folder.restore()).toThrow(problem);
    expect(readFileSync(folder.options.file)).toEqual(before);
    expect(folder.leftovers).toEqual([]);
  });

  it('refuses a backup whose heads another key has signed', async () => {
    await folder.session(append(3));
    await folder.backup();
    const { privateKey } = generateKeyPairSync('ed25519');
    expect(() => folder.restore({ signingKey: privateKey })).toThrow(/unknown key/);
  });
});

function damagePages(): void {
  const bytes = readFileSync(folder.copy);
  bytes.fill(0xa5, 4096 * 8, 4096 * 20);
  writeFileSync(folder.copy, bytes);
}
