import { createPublicKey } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { ReceiptBody, ReceiptPosition } from '@uar/contracts';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifyExportFile, verifyLedgerFile } from '../../chain/verify-file.js';
import { SameThread } from '../../thread/same-thread.js';
import { openEngine } from '../engine.js';
import { acme, ledgerFolder, receipt, startOfTime as now } from '../../conformance/samples.fixture.js';

const dayMs = 86_400_000;
const daysAgo = (days: number) => new Date(now - days * dayMs).toISOString();

let folder: ReturnType<typeof ledgerFolder>;
beforeEach(() => {
  folder = ledgerFolder();
});
afterEach(() => folder.remove());

async function session<T>(use: (ledger: SameThread) => Promise<T>): Promise<T> {
  const { file, headsFile, signingKey } = folder.options;
  const ledger = new SameThread(openEngine({ file, headsFile, signingKey }));
  try {
    return await use(ledger);
  } finally {
    await ledger.close();
  }
}

const append = (count: number, changes: Partial<ReceiptBody>) => (ledger: SameThread) =>
  ledger.ask('appendReceipts', { receipts: Array.from({ length: count }, () => receipt(changes)) });

const truncation = () =>
  receipt({ kind: 'admin', at: new Date(now).toISOString(), action: 'receipts.truncate' });

/** As the service does it, in steps of a few. */
async function walk(ledger: SameThread, days: number): Promise<ReceiptPosition | undefined> {
  let end: ReceiptPosition | undefined;
  for (;;) {
    const ask = { tenant: acme, before: now - days * dayMs, limit: 7 };
    const walked = await ledger.ask('walkAged', end === undefined ? ask : { ...ask, after: end });
    if (walked.kind === 'broken') throw new Error(`broken at ${walked.at}: ${walked.problem}`);
    if (walked.kind === 'none') return end;
    end = walked.end;
    if (!walked.more) return end;
  }
}

async function truncate(ledger: SameThread, days = 30): Promise<number | undefined> {
  const through = await walk(ledger, days);
  if (through === undefined) return undefined;
  expect(await ledger.ask('truncateReceipts', { through, receipt: truncation() })).toEqual({
    truncated: true,
  });
  return through.seq;
}

async function sweep(ledger: SameThread): Promise<void> {
  while ((await ledger.ask('sweepReceipts', { tenant: acme, limit: 9 })) === 9);
}

const publicKeys = () => [createPublicKey(folder.options.signingKey)];

function verified() {
  const { file, headsFile } = folder.options;
  return verifyLedgerFile({ file, headsFile, publicKeys: publicKeys() }).get(acme);
}

function edit(sql: string): void {
  const database = new Database(folder.options.file);
  database.exec(sql);
  database.close();
}

/** As the gateway exports a chain. */
function exported(name: string): Promise<string> {
  return session(async (ledger) => {
    const { receipts, checkpoint } = await ledger.ask('listReceipts', {
      tenant: acme,
      after: 0,
      limit: 1000,
    });
    const lines = [...(checkpoint ? [{ checkpoint }] : []), ...receipts];
    const path = `${folder.options.file}.${name}`;
    writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    return path;
  });
}

const ofExport = (file: string, heads = true) =>
  verifyExportFile({
    file,
    publicKeys: publicKeys(),
    ...(heads ? { headsFile: folder.options.headsFile } : {}),
  }).get(acme);

describe('retention', () => {
  it('takes removed receipts out of the file, also when a crash came first', async () => {
    const [at, principal] = [daysAgo(50), 'User::"acme/forgettable-badger"'];
    await session(append(300, { at, principal }));
    await session(append(1, {}));
    await session((ledger) => truncate(ledger));
    const files = () =>
      [folder.options.file, `${folder.options.file}-wal`]
        .filter(existsSync)
        .map((path) => readFileSync(path));
    expect(files().some((bytes) => bytes.includes('forgettable-badger'))).toBe(true);
    await session(async (ledger) => {
      expect(await ledger.ask('agedChains', { before: now - 30 * dayMs })).toEqual([acme]);
      await sweep(ledger);
      expect(await ledger.ask('agedChains', { before: now - 30 * dayMs })).toEqual([]);
      expect(files().some((bytes) => bytes.includes('forgettable-badger'))).toBe(false);
    });
  });

  it('signs nothing over a chain that does not hold', async () => {
    await session(append(20, { at: daysAgo(50) }));
    edit(`UPDATE receipts SET receipt = replace(receipt, 'ann', 'bob') WHERE seq = 11`);
    await expect(session((ledger) => truncate(ledger))).rejects.toThrow('broken at 11');
    const elsewhere = { seq: 5, hash: `sha256:${'a'.repeat(64)}` } as const;
    expect(
      await session((ledger) =>
        ledger.ask('truncateReceipts', { through: elsewhere, receipt: truncation() }),
      ),
    ).toEqual({ truncated: false });
  });
});

describe('a chain that begins after a checkpoint', () => {
  beforeEach(async () => {
    await session(append(20, { at: daysAgo(50) }));
    await session(append(5, {}));
  });

  it.each([
    ['the checkpoint is gone', 'DELETE FROM checkpoints', 1, 'receipt 21 stands where 1 belongs'],
    ['the checkpoint is none', `UPDATE checkpoints SET checkpoint = '{}'`, 1, 'is no checkpoint'],
    [
      'the checkpoint says more than was signed',
      `UPDATE checkpoints SET checkpoint = json_set(checkpoint, '$.through_seq', 22)`,
      1,
      'signature of the checkpoint does not hold',
    ],
    [
      'receipts after it are missing',
      'DELETE FROM receipts WHERE seq < 23',
      21,
      'receipt 23 stands where 21 belongs',
    ],
  ])('is broken where %s', async (_, sql, broken_at, problem) => {
    await session(async (ledger) => {
      await truncate(ledger);
      await sweep(ledger);
    });
    edit(sql);
    expect(verified()).toMatchObject({ ok: false, broken_at, problem: expect.stringContaining(problem) });
  });

  it('is not opened with a checkpoint that was not signed', async () => {
    await session((ledger) => truncate(ledger));
    edit(`UPDATE checkpoints SET checkpoint = json_set(checkpoint, '$.through_seq', 22)`);
    await expect(session(append(1, {}))).rejects.toMatchObject({ kind: 'corrupt' });
  });

  it('is exported with it; an export made before still verifies, and both link up', async () => {
    const earlier = await exported('earlier');
    expect(ofExport(earlier)).toMatchObject({ ok: true, length: 25 });
    await session(async (ledger) => {
      await truncate(ledger);
      await sweep(ledger);
    });
    await session(append(4, {}));
    const later = await exported('later');
    expect(ofExport(earlier, false)).toMatchObject({ ok: true, length: 25 });
    expect(ofExport(later)).toMatchObject({ ok: true, length: 30, walked_from: 21 });
    const kept = readFileSync(later, 'utf8');
    writeFileSync(later, readFileSync(earlier, 'utf8'));
    appendFileSync(later, kept);
    const both = ofExport(later);
    expect(both).toMatchObject({ ok: true, length: 30 });
    expect(both).not.toHaveProperty('walked_from');
  });

  it('is broken in an export whose checkpoint was made up, or does not follow what stands before', async () => {
    const earlier = readFileSync(await exported('earlier'), 'utf8').split('\n');
    await session((ledger) => truncate(ledger));
    const later = await exported('later');
    const text = readFileSync(later, 'utf8');
    writeFileSync(later, text.replace('"through_seq":20', '"through_seq":19'));
    expect(ofExport(later)).toMatchObject({ ok: false, broken_at: 1 });
    writeFileSync(later, `${earlier.slice(0, 15).join('\n')}\n${text}`);
    expect(ofExport(later)).toMatchObject({ ok: false, broken_at: 16 });
  });
});
