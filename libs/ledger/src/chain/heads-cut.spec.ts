import { createPublicKey } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { ReceiptBody, genesisHash, type Digest, type ReceiptVerification } from '@uar/contracts';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { acme, ledgerFolder, receipt } from '../conformance/samples.fixture.js';
import { openLedger } from '../open-ledger.js';
import { linkReceipt } from './receipt-hash.js';
import { verifyLedgerFile } from './verify-file.js';

let folder: ReturnType<typeof ledgerFolder>;

beforeEach(() => {
  folder = ledgerFolder();
});
afterEach(() => folder.remove());

async function session(...groups: number[]): Promise<void> {
  const ledger = await openLedger(folder.options);
  for (const size of groups) {
    await ledger.appendReceipts({ receipts: Array.from({ length: size }, () => receipt()) });
  }
  await ledger.close();
}

/** What somebody with the data folder does while the product is stopped: a whole history under another name. */
function forge({ count }: { count?: number } = {}): void {
  const database = new Database(folder.options.file);
  const rows = database
    .prepare<[], { seq: number; receipt: string }>('SELECT seq, receipt FROM receipts ORDER BY seq')
    .all();
  const put = database.prepare('UPDATE receipts SET receipt = ? WHERE seq = ?');
  let prevHash: Digest = genesisHash;
  for (const { seq, receipt: text } of rows) {
    const body = ReceiptBody.strip().parse({ ...JSON.parse(text), principal: 'User::"acme/mallory"' });
    const linked = linkReceipt(body, { seq, prevHash });
    put.run(linked.text, seq);
    prevHash = linked.receipt.hash;
  }
  if (count !== undefined) database.prepare('UPDATE heads_written SET lines = ?').run(count);
  database.close();
}

function verified(): ReceiptVerification | undefined {
  const { file, headsFile, signingKey } = folder.options;
  return verifyLedgerFile({ file, headsFile, publicKeys: [createPublicKey(signingKey)] }).get(acme);
}

async function expectRefusal(problem: string): Promise<void> {
  const { headsFile } = folder.options;
  const before = verified();
  await expect(openLedger(folder.options)).rejects.toMatchObject({
    kind: 'corrupt',
    message: expect.stringMatching(new RegExp(`${problem}.*Restore the heads file`)),
  });
  expect(verified()).toEqual(before);
  expect(before).toMatchObject({ ok: false });
  await expect(openLedger(folder.options), headsFile).rejects.toMatchObject({ kind: 'corrupt' });
}

describe('a forged chain', () => {
  it('is refused with an emptied heads file, and nothing is signed over it', async () => {
    await session(3, 3);
    await session(1);
    forge();
    writeFileSync(folder.options.headsFile, '');
    expect(verified()).toMatchObject({
      ok: false,
      broken_at: 1,
      problem: expect.stringContaining('0 lines of'),
    });
    await expectRefusal('0 lines of');
    expect(readFileSync(folder.options.headsFile, 'utf8')).toBe('');
  });

  it('is refused with a missing heads file', async () => {
    await session(3);
    await session(1);
    forge();
    rmSync(folder.options.headsFile);
    await expectRefusal('0 lines of');
  });

  it('is refused beyond one group commit although the count was forged too', async () => {
    await session(400, 200);
    forge({ count: 0 });
    writeFileSync(folder.options.headsFile, '');
    expect(verified()).toMatchObject({ ok: false, broken_at: 1 });
    await expectRefusal('no signed head covers receipts 1 to 600');
  });

  it('is refused when the heads are left as they were', async () => {
    await session(3);
    forge();
    await expectRefusal('does not contain its signed head 3');
  });
});

describe('heads cut at the end', () => {
  it('show with the first receipt beyond one group commit', async () => {
    await session(10, 400, 200);
    const [first] = readFileSync(folder.options.headsFile, 'utf8').split('\n');
    forgeCount();
    writeFileSync(folder.options.headsFile, `${first}\n`);
    expect(verified()).toMatchObject({ ok: false, broken_at: 11, length: 610 });
    await expectRefusal('no signed head covers receipts 11 to 610');
  });

  it('are signed again when a crash may have left them out', async () => {
    await session(10, 500);
    const [first] = readFileSync(folder.options.headsFile, 'utf8').split('\n');
    forgeCount();
    writeFileSync(folder.options.headsFile, `${first}\n`);
    await session(1);
    expect(verified()).toMatchObject({ ok: true, length: 511 });
  });
});

function forgeCount(): void {
  const database = new Database(folder.options.file);
  database.prepare('UPDATE heads_written SET lines = 0').run();
  database.close();
}
