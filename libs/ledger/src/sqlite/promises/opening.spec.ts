import {
  copyFileSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLedger } from '../../open-ledger.js';
import { acme, callId, draft, receipt, startOfTime as now } from '../../conformance/samples.fixture.js';
import { LedgersInFolder } from './ledgers-in-folder.fixture.js';

let folder: LedgersInFolder;

beforeEach(() => {
  folder = new LedgersInFolder();
});
afterEach(() => folder.remove());

describe('opening', () => {
  it('refuses a damaged file', async () => {
    const ledger = await folder.open();
    await ledger.appendReceipts({ receipts: Array.from({ length: 300 }, () => receipt()) });
    await folder.close(ledger);
    const bytes = readFileSync(folder.options.file);
    bytes.fill(0xa5, 4096 * 8, 4096 * 20);
    writeFileSync(folder.options.file, bytes);
    await expect(folder.open()).rejects.toMatchObject({
      kind: 'corrupt',
      message: expect.stringContaining('ledger.db'),
    });
  });

  it('refuses what is no ledger at all, and leaves it as it was', async () => {
    writeFileSync(folder.options.file, 'not a database, but long enough to be looked at as one '.repeat(50));
    const before = readFileSync(folder.options.file);
    await expect(folder.open()).rejects.toMatchObject({
      kind: 'corrupt',
      message: expect.stringMatching(/ledger\.db is no ledger: it is no database\. .*uar ledger restore/),
    });
    expect(readFileSync(folder.options.file)).toEqual(before);
  });

  it.each([
    ['a file that was cut short', (file: string) => truncateSync(file, 8192), 'is cut short: it has 8192 of'],
    [
      'an emptied file',
      (file: string) => truncateSync(file, 0),
      'is empty, but .*heads.jsonl names its receipts',
    ],
    ['a missing file', (file: string) => rmSync(file), 'is missing, but .*heads.jsonl names its receipts'],
  ])('refuses %s, and puts no new ledger in its place', async (_, harm, problem) => {
    const ledger = await folder.open();
    await ledger.appendReceipts({ receipts: [receipt()] });
    await folder.close(ledger);
    const { file } = folder.options;
    harm(file);
    const size = statSync(file, { throwIfNoEntry: false })?.size;
    await expect(folder.open()).rejects.toMatchObject({
      kind: 'corrupt',
      message: expect.stringMatching(new RegExp(`ledger\\.db ${problem}.*uar ledger restore`)),
    });
    expect(statSync(file, { throwIfNoEntry: false })?.size).toBe(size);
  });

  it('refuses a ledger whose log was lost, and says that its end is missing', async () => {
    const ledger = await folder.open();
    await ledger.appendReceipts({ receipts: [receipt()] });
    const copy = `${folder.options.file}.copy`;
    copyFileSync(folder.options.file, copy);
    await folder.close(ledger);
    await expect(folder.open({ file: copy })).rejects.toMatchObject({
      kind: 'corrupt',
      message: expect.stringContaining(
        'ends at 0 and does not contain its signed head 1: its end is missing',
      ),
    });
  });

  it('refuses a ledger that a later version has migrated', async () => {
    await folder.close(await folder.open());
    const other = new Database(folder.options.file);
    other.prepare('INSERT INTO schema_migrations VALUES (99, ?, ?)').run('of the future', 'then');
    other.close();
    await expect(folder.open()).rejects.toMatchObject({
      kind: 'too_new',
      message: expect.stringMatching(/ledger\.db has schema 99.*Start the version that wrote it/),
    });
  });

  it('runs every migration once', async () => {
    await folder.close(await folder.open());
    await folder.close(await folder.open());
    const other = new Database(folder.options.file, { readonly: true });
    const versions = other.prepare<[], { version: number }>('SELECT version FROM schema_migrations').all();
    other.close();
    expect(versions.length).toBeGreaterThan(2);
    expect(versions).toEqual(versions.map((_, index) => ({ version: index + 1 })));
  });

  it('says unavailable when the folder is not there', async () => {
    await expect(folder.open({ file: `${folder.options.file}.d/none/ledger.db` })).rejects.toMatchObject({
      kind: 'unavailable',
    });
  });

  it('signs a head for what a crash left without one', async () => {
    const { headsFile } = folder.options;
    const ledger = await folder.open();
    await ledger.appendReceipts({ receipts: [receipt(), receipt()] });
    await folder.close(ledger);
    writeFileSync(headsFile, '{"tenant":"acme","seq":2,"ha');
    const again = await folder.open();
    expect(await again.verifyReceipts({ tenant: acme })).toMatchObject({ ok: true, length: 2 });
    expect(readFileSync(headsFile, 'utf8')).toMatch(/^\{"tenant":"acme","seq":2,"hash":"sha256:[^\n]+\n$/);
  });

  it('shows no kept view, and its files to nobody but their owner', async () => {
    const ledger = await folder.open();
    const view_json = '{"x":"plaintext-squirrel"}';
    const call = {
      tenant: acme,
      call_id: callId(),
      principal: 'User::"acme/ann"',
      view_json,
      expires_at: now,
    };
    await ledger.keepCall(call);
    const base = folder.options.file.replace(/ledger\.db$/, '');
    for (const name of readdirSync(base)) {
      expect(readFileSync(`${base}${name}`).includes('plaintext-squirrel'), name).toBe(false);
    }
    for (const path of [folder.options.file, `${folder.options.file}-wal`, folder.options.headsFile]) {
      expect(statSync(path).mode & 0o077, path).toBe(0);
    }
  });
});

describe('what is erased', () => {
  it('leaves no trace of the arguments of a settled approval in any file once the ledger is closed', async () => {
    const ledger = await folder.open();
    const limits = { maxPending: 10, maxNewPerMinute: 10 };
    const made = ['squirrel', 'hedgehog'].map((animal) =>
      draft({ arguments_preview: `{"a":"${animal}-${'x'.repeat(20_000)}"}` }),
    );
    for (const each of made) await ledger.createApproval({ draft: each, limits, now });
    const move = { from: ['pending'] as const, when: 'any' as const, now };
    await ledger.moveApproval({ ...move, approvalId: made[0]?.approval_id ?? '', to: 'cancelled' });
    await ledger.moveApproval({ ...move, approvalId: made[1]?.approval_id ?? '', to: 'approved' });
    await folder.close(ledger);
    const base = folder.options.file.replace(/ledger\.db$/, '');
    const files = readdirSync(base).map((name) => readFileSync(`${base}${name}`));
    expect(files.some((bytes) => bytes.includes('squirrel'))).toBe(false);
    expect(files.some((bytes) => bytes.includes('hedgehog'))).toBe(true);
  });
});

describe('closing', () => {
  it.each(['a file', 'memory'])(
    'finishes what was asked and takes nothing after it, in %s',
    async (place) => {
      const ledger = await openLedger(
        place === 'memory' ? { ...folder.options, file: ':memory:' } : folder.options,
      );
      const last = ledger.appendReceipts({ receipts: [receipt()] });
      await ledger.close();
      await expect(last).resolves.toHaveLength(1);
      await expect(ledger.probe()).rejects.toMatchObject({ kind: 'unavailable' });
    },
  );
});
