import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { ReceiptBody, type Receipt, type ReceiptVerification } from '@uar/contracts';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { acme, beta, ledgerFolder, receipt } from '../conformance/samples.fixture.js';
import { openLedger } from '../open-ledger.js';
import { linkReceipt } from './receipt-hash.js';
import { SignedHead } from './signed-head.js';
import { verifyExportFile, verifyLedgerFile } from './verify-file.js';

const length = 8;
let folder: ReturnType<typeof ledgerFolder>;

beforeEach(async () => {
  folder = ledgerFolder();
  const ledger = await openLedger(folder.options);
  for (let n = 0; n < length; n += 1) {
    await ledger.appendReceipts({ receipts: [receipt({ cause: `call ${n}` }), receipt({ tenant: beta })] });
  }
  await ledger.close();
});
afterEach(() => folder.remove());

function verified(
  witnessed: readonly SignedHead[] = [],
  tenant: string = acme,
): ReceiptVerification | undefined {
  const { file, headsFile, signingKey } = folder.options;
  return verifyLedgerFile({ file, headsFile, publicKeys: [createPublicKey(signingKey)], witnessed }).get(
    tenant,
  );
}

function tamper(sql: string, ...values: unknown[]): void {
  const database = new Database(folder.options.file);
  const { changes } = database.prepare(sql).run(...values);
  database.close();
  if (changes !== 1) throw new Error(`changed ${changes} rows`);
}

function headLines(): string[] {
  return readFileSync(folder.options.headsFile, 'utf8').split('\n').slice(0, -1);
}

function stored(seq: number): string {
  const database = new Database(folder.options.file, { readonly: true });
  const row = database
    .prepare<[string, number], { receipt: string }>(
      'SELECT receipt FROM receipts WHERE tenant = ? AND seq = ?',
    )
    .get(acme, seq);
  database.close();
  return row?.receipt ?? '';
}

const replaceReceipt = `UPDATE receipts SET receipt = ? WHERE tenant = '${acme}' AND seq = ?`;

describe('an untouched ledger', () => {
  it('verifies, tenant by tenant', () => {
    const { file, headsFile, signingKey } = folder.options;
    const all = verifyLedgerFile({ file, headsFile, publicKeys: [createPublicKey(signingKey)] });
    expect([...all.keys()]).toEqual([acme, beta]);
    for (const each of all.values()) expect(each).toMatchObject({ ok: true, length });
  });

  it('ends at the last signed head', () => {
    const last = SignedHead.parse(
      JSON.parse(
        headLines()
          .filter((line) => line.includes(acme))
          .at(-1) ?? '',
      ),
    );
    expect(verified()).toEqual({ ok: true, length: last.seq, head: last.hash });
  });
});

describe('a receipt that was touched', () => {
  it('shows whichever byte was changed', () => {
    const text = stored(4);
    const bytes = Buffer.from(text);
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 32, max: 126 }), (at, byte) => {
        fc.pre(bytes[at] !== byte);
        const changed = Buffer.from(bytes);
        changed[at] = byte;
        // SQLite's own generated columns refuse what is no JSON: then nothing was changed.
        try {
          tamper(replaceReceipt, changed.toString(), 4);
        } catch (error) {
          expect(String(error)).toContain('malformed JSON');
          return;
        }
        expect(verified()).toMatchObject({ ok: false, broken_at: 4, length: 3 });
      }),
      { numRuns: 150 },
    );
    tamper(replaceReceipt, text, 4);
    expect(verified()).toMatchObject({ ok: true });
  });

  it('shows although its own hash was made to fit', () => {
    const found: Receipt = JSON.parse(stored(4));
    const { seq, prev_hash: prevHash } = found;
    const body = ReceiptBody.strip().parse({ ...found, outcome: 'timeout' });
    tamper(replaceReceipt, linkReceipt(body, { seq, prevHash }).text, 4);
    expect(verified()).toMatchObject({ ok: false, broken_at: 4 });
  });

  it('shows when white space alone was added', () => {
    tamper(replaceReceipt, stored(4).replace('{', '{ '), 4);
    expect(verified()).toMatchObject({ ok: false, broken_at: 4, problem: 'the stored text was changed' });
  });

  it('leaves the other tenant whole', () => {
    tamper(replaceReceipt, stored(4).replace('"ran"', '"did_not_run"'), 4);
    expect(verified([], beta)).toMatchObject({ ok: true, length });
  });
});

describe('a receipt that was taken out', () => {
  it('shows in the middle', () => {
    tamper(`DELETE FROM receipts WHERE tenant = '${acme}' AND seq = 5`);
    expect(verified()).toMatchObject({ ok: false, broken_at: 5, length: 4 });
  });

  it('shows in the middle although the others were renumbered', () => {
    tamper(`DELETE FROM receipts WHERE tenant = '${acme}' AND seq = 7`);
    tamper(`UPDATE receipts SET seq = 7 WHERE tenant = '${acme}' AND seq = 8`);
    expect(verified()).toMatchObject({ ok: false, broken_at: 7 });
  });

  it('shows at the end, because a signed head names it', () => {
    tamper(`DELETE FROM receipts WHERE tenant = '${acme}' AND seq = ${length}`);
    expect(verified()).toMatchObject({ ok: false, broken_at: length, length: length - 1 });
  });

  it('shows at the end, and nothing can be appended in its place', async () => {
    tamper(`DELETE FROM receipts WHERE tenant = '${acme}' AND seq = ${length}`);
    await expect(openLedger(folder.options)).rejects.toMatchObject({ kind: 'corrupt' });
    expect(verified()).toMatchObject({ ok: false });
  });

  it('shows for a whole chain', () => {
    const database = new Database(folder.options.file);
    database.prepare('DELETE FROM receipts WHERE tenant = ?').run(acme);
    database.close();
    expect(verified()).toMatchObject({ ok: false, broken_at: 1, length: 0 });
  });
});

describe('heads that were touched', () => {
  function cutLastOfAcme(): SignedHead {
    tamper(`DELETE FROM receipts WHERE tenant = '${acme}' AND seq = ${length}`);
    const lines = headLines();
    const last = lines.findLastIndex((line) => line.includes(acme));
    const [cut] = lines.splice(last, 1);
    writeFileSync(folder.options.headsFile, lines.map((line) => `${line}\n`).join(''));
    return SignedHead.parse(JSON.parse(cut ?? ''));
  }

  it('cannot show a last receipt cut together with its head: what is left is a shorter, valid history', () => {
    cutLastOfAcme();
    expect(verified()).toMatchObject({ ok: true, length: length - 1 });
  });

  it('shows that very cut to whoever holds the head', () => {
    const witnessed = [cutLastOfAcme()];
    expect(verified(witnessed)).toMatchObject({ ok: false, broken_at: length });
  });

  it('shows a head with another hash, a broken line, a missing file, another key', () => {
    const { headsFile, file } = folder.options;
    const lines = headLines();
    const first = SignedHead.parse(JSON.parse(lines[0] ?? ''));
    const write = (...changed: string[]) =>
      writeFileSync(headsFile, changed.map((line) => `${line}\n`).join(''));

    write(JSON.stringify({ ...first, hash: `sha256:${'0'.repeat(64)}` }), ...lines.slice(1));
    expect(verified()).toMatchObject({ ok: false, problem: 'the signature of head 1 does not hold' });
    write('{}', ...lines.slice(1));
    expect(verified()).toMatchObject({ ok: false, problem: expect.stringContaining('line 1') });
    write(...lines);
    const publicKeys = [generateKeyPairSync('ed25519').publicKey];
    const strange = verifyLedgerFile({ file, headsFile, publicKeys }).get(acme);
    expect(strange).toMatchObject({ ok: false, problem: expect.stringContaining('unknown key') });
    const missing = verifyLedgerFile({ file, headsFile: `${headsFile}.none`, publicKeys }).get(acme);
    expect(missing).toMatchObject({ ok: false, problem: expect.stringContaining('is missing') });
  });
});

describe('an export', () => {
  function exported(change: (lines: string[]) => string[]): ReceiptVerification | undefined {
    const lines = Array.from({ length }, (_, n) => stored(n + 1));
    const file = `${folder.options.file}.ndjson`;
    writeFileSync(
      file,
      change(lines)
        .map((line) => `${line}\n`)
        .join(''),
    );
    const { headsFile, signingKey } = folder.options;
    const publicKeys = [createPublicKey(signingKey)];
    return verifyExportFile({ file, headsFile, publicKeys, tenant: acme }).get(acme);
  }

  it('verifies whole, whatever the order of members', () => {
    expect(exported((lines) => lines)).toMatchObject({ ok: true, length });
    const turned = (line: string) =>
      JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(line)).reverse()));
    expect(exported((lines) => lines.map(turned))).toMatchObject({ ok: true, length });
  });

  it('shows a line changed, dropped in the middle, or dropped at the end', () => {
    const changed = (lines: string[]) =>
      lines.map((line, n) => (n === 2 ? line.replace('call 2', 'call 9') : line));
    expect(exported(changed)).toMatchObject({ ok: false, broken_at: 3 });
    expect(exported((lines) => lines.toSpliced(4, 1))).toMatchObject({ ok: false, broken_at: 5 });
    expect(exported((lines) => lines.slice(0, -1))).toMatchObject({ ok: false, broken_at: length });
  });
});
