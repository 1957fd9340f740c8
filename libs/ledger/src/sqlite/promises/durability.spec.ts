import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { sourceHooks } from '@uar/threads';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifyLedgerFile } from '../../chain/verify-file.js';
import { acme, callId, receipt, startOfTime as now } from '../../conformance/samples.fixture.js';
import { LedgersInFolder } from './ledgers-in-folder.fixture.js';

let folder: LedgersInFolder;
const children: ChildProcess[] = [];

beforeEach(() => {
  folder = new LedgersInFolder();
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await folder.remove();
});

/** A second process that appends to the same ledger; `lines` are the numbers it was told are durable. */
function writer(): { child: ChildProcess; lines: AsyncIterableIterator<string> } {
  const { file, headsFile, signingKey } = folder.options;
  const keyFile = `${file}.key`;
  writeFileSync(keyFile, signingKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  const script = fileURLToPath(new URL('./writer.fixture.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', sourceHooks.href, script, file, headsFile, keyFile], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
}

describe('what was acknowledged', () => {
  it('is there after the process was killed in the middle of its work', async () => {
    const { child, lines } = writer();
    let acknowledged = 0;
    for await (const line of lines) {
      acknowledged = Number(line);
      if (acknowledged === 200) child.kill('SIGKILL');
    }
    const ledger = await folder.open();
    const found = await ledger.verifyReceipts({ tenant: acme });
    expect(found).toMatchObject({ ok: true });
    expect(found.length).toBeGreaterThanOrEqual(acknowledged);
  });

  it('is in the files on disk at the moment it is acknowledged, without any orderly end', async () => {
    const ledger = await folder.open();
    for (let n = 0; n < 20; n += 1) await ledger.appendReceipts({ receipts: [receipt()] });
    const copy = copyOf(folder.options.file, 'copy');
    const revived = await folder.open({ file: copy });
    expect(await revived.verifyReceipts({ tenant: acme })).toMatchObject({ ok: true, length: 20 });
  });

  it('is a whole prefix of the history, and visibly cut, when the tail of the log did not reach the disk', async () => {
    const ledger = await folder.open();
    for (let n = 0; n < 20; n += 1) await ledger.appendReceipts({ receipts: [receipt()] });
    const copy = copyOf(folder.options.file, 'torn');
    truncateSync(`${copy}-wal`, Math.floor(statSync(`${copy}-wal`).size * 0.7));
    const torn = verifyLedgerFile({ file: copy, publicKeys: [folder.options.signingKey] }).get(acme);
    expect(torn).toMatchObject({ ok: true });
    expect(torn?.length).toBeGreaterThan(0);
    expect(torn?.length).toBeLessThan(20);
    const { headsFile, signingKey } = folder.options;
    expect(verifyLedgerFile({ file: copy, headsFile, publicKeys: [signingKey] }).get(acme)).toMatchObject({
      ok: false,
      broken_at: (torn?.length ?? 0) + 1,
    });
  });
});

function copyOf(file: string, name: string): string {
  const copy = file.replace(/ledger\.db$/, `${name}.db`);
  for (const suffix of ['', '-wal']) copyFileSync(`${file}${suffix}`, `${copy}${suffix}`);
  return copy;
}

describe('one process per file', () => {
  it('refuses the second and names the file and the holder', async () => {
    const { child, lines } = writer();
    await lines.next();
    await expect(folder.open()).rejects.toMatchObject({
      kind: 'locked',
      message: expect.stringMatching(new RegExp(`ledger\\.db is in use by process ${child.pid} since `)),
    });
  });

  it('lets the next one in as soon as the holder is dead, however it died', async () => {
    const { child, lines } = writer();
    await lines.next();
    child.kill('SIGKILL');
    await once(child, 'exit');
    await expect(folder.open()).resolves.toBeDefined();
  });

  it('refuses a second ledger within one process too, until the first is closed', async () => {
    const first = await folder.open();
    await expect(folder.open()).rejects.toMatchObject({
      kind: 'locked',
      message: expect.stringContaining(`process ${process.pid}`),
    });
    await folder.close(first);
    await expect(folder.open()).resolves.toBeDefined();
  });
});

describe('a ledger that cannot be written', () => {
  it('answers unavailable while somebody else holds the file, writes nothing, and recovers', async () => {
    const ledger = await folder.open();
    await ledger.appendReceipts({ receipts: [receipt()] });
    const other = new Database(folder.options.file);
    other.exec('BEGIN IMMEDIATE');
    await expect(ledger.appendReceipts({ receipts: [receipt()] })).rejects.toMatchObject({
      kind: 'unavailable',
    });
    await expect(ledger.probe()).rejects.toMatchObject({ kind: 'unavailable' });
    expect((await ledger.readReceipt({ tenant: acme, seq: 1 })).kind).toBe('found');
    other.exec('ROLLBACK');
    other.close();
    expect(await ledger.appendReceipts({ receipts: [receipt()] })).toMatchObject([{ seq: 2 }]);
  });

  it('answers unavailable when it is full, keeps what it has, and recovers once there is room', async () => {
    const ledger = await folder.open({ maxBytes: 512 * 1024 });
    const call = (expires_at: number) => ({
      tenant: acme,
      call_id: callId(),
      principal: 'User::"acme/ann"',
      view_json: 'v'.repeat(50_000),
      expires_at,
    });
    const kept = await Promise.allSettled(
      Array.from({ length: 12 }, async (_, n) => {
        await ledger.keepCall(call(now + n));
      }),
    );
    expect(kept.every((answer) => answer.status === 'rejected')).toBe(true);
    let fits = 0;
    let refusal: unknown;
    while (refusal === undefined) {
      await ledger.keepCall(call(now)).then(
        () => (fits += 1),
        (error: unknown) => (refusal = error),
      );
    }
    expect(refusal).toMatchObject({ kind: 'unavailable', message: expect.stringContaining('SQLITE_FULL') });
    expect(fits).toBeGreaterThan(0);
    await expect(ledger.readSettings({ namespace: 'server' })).resolves.toEqual({ settings: [] });
    expect(await ledger.purgeExpired({ now })).toBe(fits);
    await expect(ledger.keepCall(call(now))).resolves.toEqual({ kept: true });
  });

  it('keeps its word about what is committed, and writes nothing more until the heads file takes its head', async () => {
    const ledger = await folder.open({ headsFile: '/dev/full' });
    expect(await ledger.appendReceipts({ receipts: [receipt()] })).toMatchObject([{ seq: 1 }]);
    await expect(ledger.appendReceipts({ receipts: [receipt()] })).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining('ENOSPC'),
    });
    await expect(ledger.probe()).rejects.toMatchObject({ kind: 'unavailable' });
    expect((await ledger.listReceipts({ tenant: acme, after: 0, limit: 10 })).receipts).toHaveLength(1);
    await folder.close(ledger);
    const again = await folder.open();
    expect(await again.appendReceipts({ receipts: [receipt()] })).toMatchObject([{ seq: 2 }]);
    expect(await again.verifyReceipts({ tenant: acme })).toMatchObject({ ok: true, length: 2 });
  });
});

it('lets operations that are asked for at once share commits, each still answered on its own', async () => {
  const ledger = await folder.open();
  const positions = await Promise.all(
    Array.from({ length: 1_000 }, () => ledger.appendReceipts({ receipts: [receipt()] })),
  );
  expect(new Set(positions.flat().map(({ seq }) => seq)).size).toBe(1_000);
  const heads = readFileSync(folder.options.headsFile, 'utf8').trim().split('\n');
  expect(heads.length).toBeGreaterThanOrEqual(4);
  expect(heads.length).toBeLessThan(20);
});
