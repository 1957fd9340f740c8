import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  readFileSync,
  readdirSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifyLedgerFile } from '../chain/verify-file.js';
import {
  acme,
  beta,
  draft,
  ledgerFolder,
  receipt,
  startOfTime as now,
} from '../conformance/samples.fixture.js';
import { SameThread } from '../thread/same-thread.js';
import { openEngine } from '../sqlite/engine.js';
import { backupLedger } from './backup.js';
import { checkLedger } from './check.js';
import { headsIn } from './ledger-copy.js';
import { restoreLedger, type RestoreOptions } from './restore.js';

let folder: ReturnType<typeof ledgerFolder>;
let to: string;
beforeEach(() => {
  folder = ledgerFolder();
  to = join(dirname(folder.options.file), 'copy.db');
});
afterEach(() => folder.remove());

/** The ledger in this thread: starting a worker for each would be most of the time. */
async function session(write: (ledger: SameThread) => Promise<unknown>): Promise<void> {
  const { file, headsFile, signingKey } = folder.options;
  const ledger = new SameThread(openEngine({ file, headsFile, signingKey }));
  await write(ledger);
  await ledger.close();
}

const append =
  (count: number, tenant = acme) =>
  (ledger: SameThread) =>
    ledger.ask('appendReceipts', { receipts: Array.from({ length: count }, () => receipt({ tenant })) });

const publicKeys = () => [createPublicKey(folder.options.signingKey)];

function backup(changes: Partial<Parameters<typeof backupLedger>[0]> = {}) {
  const { file, headsFile } = folder.options;
  return backupLedger({ file, headsFile, publicKeys: publicKeys(), to, replace: false, ...changes });
}

function restore(changes: Partial<RestoreOptions> = {}) {
  const { file, headsFile, signingKey } = folder.options;
  return restoreLedger({
    from: to,
    file,
    headsFile,
    signingKey,
    acceptLoss: new Map(),
    setting: { governance: 'on', profile: 'minimal' },
    now,
    ...changes,
  });
}

function verified(witnessed = headsIn('/none')) {
  const { file, headsFile } = folder.options;
  return verifyLedgerFile({ file, headsFile, publicKeys: publicKeys(), witnessed }).get(acme);
}

const leftovers = () => readdirSync(dirname(to)).filter((name) => /part|restoring/.test(name));

describe('a backup', () => {
  it('is one moment of a ledger that is written meanwhile, whole and readable by its owner alone', async () => {
    await session(async (ledger) => {
      for (let n = 0; n < 20; n += 1) await append(100)(ledger);
      let isDone = false;
      const writing = (async () => {
        while (!isDone) {
          await append(20)(ledger);
          await new Promise((resolve) => setImmediate(resolve));
        }
      })();
      const made = await backup();
      isDone = true;
      await writing;
      const chain = made.chains.get(acme);
      expect(chain).toMatchObject({ ok: true });
      expect(chain?.length).toBeGreaterThanOrEqual(2_000);
      expect(statSync(to).mode & 0o777).toBe(0o600);
      expect(made.bytes).toBe(statSync(to).size);
      expect(checkLedger({ file: to, headsFile: '/none', publicKeys: publicKeys() })).toMatchObject({
        backupAt: made.at,
        chains: new Map([[acme, chain]]),
      });
    });
    expect(leftovers()).toEqual([]);
  });

  it('is not made over another file, unless it may replace it', async () => {
    await session(append(3));
    writeFileSync(to, 'precious');
    await expect(backup()).rejects.toThrow('exists already');
    expect(readFileSync(to, 'utf8')).toBe('precious');
    expect(await backup({ replace: true })).toMatchObject({ bytes: statSync(to).size });
  });

  it('is not made of a ledger whose chain is broken, and leaves nothing behind', async () => {
    await session(append(5));
    const other = new Database(folder.options.file);
    other.exec(`UPDATE receipts SET receipt = replace(receipt, '"completed"', '"tool_error"') WHERE seq = 3`);
    other.close();
    await expect(backup()).rejects.toThrow(/the chain of tenant acme is broken at receipt 3/);
    expect(existsSync(to)).toBe(false);
    expect(leftovers()).toEqual([]);
  });

  it('is made of what a crash left', async () => {
    await session(async (ledger) => {
      await append(7)(ledger);
      for (const suffix of ['', '-wal'])
        copyFileSync(`${folder.options.file}${suffix}`, `${to}.crash${suffix}`);
    });
    expect((await backup({ file: `${to}.crash` })).chains.get(acme)).toMatchObject({ ok: true, length: 7 });
  });
});

describe('a restore', () => {
  it('onto an empty folder gives the ledger back, with a receipt of it in every chain', async () => {
    await session(append(5));
    await session(append(2, beta));
    const made = await backup();
    const { file, headsFile } = {
      file: join(dirname(to), 'new/ledger.db'),
      headsFile: join(dirname(to), 'new/heads.jsonl'),
    };
    expect(restore({ file, headsFile })).toMatchObject({
      kind: 'restored',
      lost: [],
      kept: [],
      backupAt: made.at,
    });
    folder = { ...folder, options: { ...folder.options, file, headsFile } };
    expect(verified()).toMatchObject({ ok: true, length: 6 });
    await session(async (ledger) => {
      expect(await ledger.ask('readReceipt', { tenant: acme, seq: 6 })).toMatchObject({
        receipt: { kind: 'admin', action: 'ledger.restore', cause: `the backup of ${made.at}` },
      });
      expect(await ledger.ask('readReceipt', { tenant: beta, seq: 3 })).toMatchObject({ kind: 'found' });
    });
  });

  it('names what would be lost, and loses exactly what was accepted', async () => {
    await session(append(5));
    await backup();
    await session(append(4));
    await session(append(2, beta));
    const shipped = headsIn(folder.options.headsFile);
    const lost = [
      { tenant: 'acme', from: 6, through: 9, count: 4 },
      { tenant: 'beta', from: 1, through: 2, count: 2 },
    ];
    const before = readFileSync(folder.options.file);
    for (const accepted of [{}, { acme: 4 }, { acme: 3, beta: 2 }, { acme: 4, beta: 2, more: 1 }])
      expect(restore({ acceptLoss: new Map(Object.entries(accepted)) })).toMatchObject({
        kind: 'would_lose',
        lost,
      });
    expect(readFileSync(folder.options.file)).toEqual(before);
    const done = restore({ acceptLoss: new Map(Object.entries({ acme: 4, beta: 2 })) });
    expect(done).toMatchObject({ kind: 'restored', lost });
    expect(leftovers()).toEqual([]);
    await session(append(10));
    expect(verified()).toMatchObject({ ok: true, length: 16 });
    expect(verified(shipped)).toMatchObject({ ok: false, broken_at: 9 });
    const kept = done.kind === 'restored' ? done.kept : [];
    expect(kept.map((path) => path.replace(/.*\/(ledger.db|heads.jsonl).replaced.*/, '$1'))).toEqual([
      'heads.jsonl',
      'ledger.db',
    ]);
    const [heads, file] = kept;
    expect(
      verifyLedgerFile({ file: file ?? '', headsFile: heads ?? '', publicKeys: publicKeys() }).get(acme),
    ).toMatchObject({ ok: true, length: 9 });
  });

  it('does not bring an approval back to life that may have been spent since', async () => {
    await session((ledger) =>
      ledger.ask('createApproval', { draft: draft(), limits: { maxPending: 9, maxNewPerMinute: 9 }, now }),
    );
    await session(append(1));
    await backup();
    expect(restore()).toMatchObject({ kind: 'restored' });
    await session(async (ledger) => {
      const [approval] = await ledger.ask('listApprovals', { tenant: acme, limit: 10 });
      expect(approval?.status).toBe('channel_closed');
    });
  });

  it('goes back to a later moment of a history that was given up, as a loss of what came instead', async () => {
    await session(append(5));
    await backup();
    await session(append(4));
    await backup({ to: `${to}.later` });
    restore({ acceptLoss: new Map([['acme', 4]]) });
    await session(append(2));
    expect(restore({ from: `${to}.later` })).toMatchObject({
      kind: 'would_lose',
      lost: [{ tenant: 'acme', from: 6, through: 8, count: 3 }],
    });
    expect(restore({ from: `${to}.later`, acceptLoss: new Map([['acme', 3]]), now: now + 1 })).toMatchObject({
      kind: 'restored',
    });
    expect(verified()).toMatchObject({ ok: true, length: 10 });
  });

  it('loses nothing where the backup begins after a checkpoint', async () => {
    for (let n = 0; n < 4; n += 1) await session(append(5));
    await session(async (ledger) => {
      const before = Date.parse(receipt().at) + 1;
      const walked = await ledger.ask('walkAged', { tenant: acme, before, limit: 12 });
      if (walked.kind !== 'aged') throw new Error(walked.kind);
      await ledger.ask('truncateReceipts', { through: walked.end, receipt: receipt({ kind: 'admin' }) });
      await ledger.ask('sweepReceipts', { tenant: acme, limit: 100 });
    });
    await backup();
    expect(restore()).toMatchObject({ kind: 'restored', lost: [] });
    expect(verified()).toMatchObject({ ok: true, length: 22, walked_from: 13 });
    await session(append(1));
  });

  it('is refused while the ledger is in use', async () => {
    await session(append(1));
    await backup();
    await session(() => {
      expect(() => restore()).toThrow(/ledger\.db is in use by process/);
      return Promise.resolve();
    });
  });

  it.each([
    ['that is cut short', () => truncateSync(to, 40_960), 'is cut short: it has 40960 of'],
    ['that is no database', () => writeFileSync(to, 'no database'.repeat(500)), 'is no database'],
    ['that is not there', () => writeFileSync(to, ''), 'no ledger'],
    ['with a damaged page', () => damagePages(), 'fails its integrity check'],
    ['that is no backup', () => copyFileSync(folder.options.file, to), 'was not made by uar ledger backup'],
    [
      'with a changed receipt',
      () => edit(`UPDATE receipts SET receipt = replace(receipt, 'ann', 'bob') WHERE seq = 4`),
      'broken at receipt 4',
    ],
    ['that lacks its end', () => edit('DELETE FROM receipts WHERE seq > 15'), 'broken at receipt 16'],
    [
      'of a later version',
      () => edit(`INSERT INTO schema_migrations VALUES (99, 'x', 'y')`),
      'has schema 99',
    ],
  ])('refuses a copy %s, and changes nothing', async (_, harm, problem) => {
    await session(append(12));
    await session(append(8));
    await backup();
    harm();
    const before = readFileSync(folder.options.file);
    expect(() => restore()).toThrow(problem);
    expect(readFileSync(folder.options.file)).toEqual(before);
    expect(leftovers()).toEqual([]);
  });

  it('refuses a backup whose heads another key has signed', async () => {
    await session(append(3));
    await backup();
    const { privateKey } = generateKeyPairSync('ed25519');
    expect(() => restore({ signingKey: privateKey })).toThrow(/unknown key/);
  });
});

function edit(sql: string): void {
  const copy = new Database(to);
  copy.exec(sql);
  copy.close();
}

function damagePages(): void {
  const bytes = readFileSync(to);
  bytes.fill(0xa5, 4096 * 8, 4096 * 20);
  writeFileSync(to, bytes);
}
