import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CallId, ReceiptBody, TenantId } from '@uar/contracts';
import { createSeal, ensureSecretFile, ensureSigningKeys, receiptPublicPath } from '@uar/keys';
import { openLedger } from '@uar/ledger';
import { type Product, startProduct } from '@uar/testkit';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { runCli } from '../../cli.js';
import { clientOf, eventually } from '../../client.js';
import { keeps } from '../../keeps.js';
import { buses } from '../../on-both-buses.js';

const aged = 1_500;
const total = 50_000;
const seeded = mkdtempSync(join(tmpdir(), 'uar-seeded-'));
const dayMs = 86_400_000;

/** A ledger as one has it after a year: written by the ledger itself, under the keys of the product that takes it over. */
beforeAll(async () => {
  const dataDir = join(seeded, 'data');
  mkdirSync(join(dataDir, 'keys'), { recursive: true, mode: 0o700 });
  const keyFile = join(dataDir, 'keys/receipts.key');
  const ledger = await openLedger({
    file: join(dataDir, 'ledger.db'),
    headsFile: join(dataDir, 'heads.jsonl'),
    seal: createSeal(ensureSecretFile(join(dataDir, 'keys/data.key'))),
    signingKey: ensureSigningKeys(keyFile, receiptPublicPath(keyFile)),
  });
  for (let seq = 1; seq <= total; seq += 500) {
    const receipts = Array.from({ length: 500 }, (_, n) => receiptOf(seq + n));
    await ledger.appendReceipts({ receipts });
  }
  await ledger.close();
});
afterAll(() => rmSync(seeded, { recursive: true, force: true }));

function receiptOf(seq: number): ReceiptBody {
  const days = seq <= aged ? 60 : 2;
  return ReceiptBody.parse({
    at: new Date(Date.now() - days * dayMs).toISOString(),
    kind: 'outcome',
    call_id: CallId.parse(`call_${seq.toString(16).padStart(32, '0')}`),
    tenant: TenantId.parse('default'),
    principal: seq <= aged ? 'User::"default/forgettable-badger"' : 'User::"default/uma"',
    governance: 'on',
    profile: 'minimal',
    outcome: 'completed',
    effect: 'ran',
  });
}

describe.each(buses)('receipts of a year (%s)', (bus) => {
  let product: Product;
  let dataDir = '';
  let forgedFile = '';
  beforeAll(async () => {
    dataDir = join(seeded, bus);
    cpSync(join(seeded, 'data'), dataDir, { recursive: true });
    forgedFile = join(seeded, `${bus}-forged.ndjson`);
    const config = { receipts: { retention_days: 30 } };
    product = await startProduct({ bus, dataDir, ledger: 'sqlite', config });
  });
  afterAll(() => product.stop());

  keeps(
    ['receipts.retention'],
    'are removed up to a signed checkpoint, and the chain still verifies',
    async () => {
      const client = clientOf(product);
      const list = await eventually(async () => {
        const { body } = await client.get('/api/uar/receipts?limit=1');
        return Number(body['truncated_through']) === aged ? body : undefined;
      }, 60_000);
      expect((list['receipts'] as unknown as { seq: number }[])[0]?.seq).toBe(aged + 1);
      const removed = await client.get(`/api/uar/receipts/${aged}`);
      expect({ status: removed.status, code: removed.body['error']?.['code'] }).toEqual({
        status: 410,
        code: 'receipt_truncated',
      });
      const { body } = await client.get('/api/uar/receipts/verify');
      expect(body).toMatchObject({ ok: true, walked_from: aged + 1 });
      expect(Number(body['length'])).toBeGreaterThan(total);
      await eventually(
        () =>
          Promise.resolve(
            ['ledger.db', 'ledger.db-wal'].some((name) =>
              readFileSync(join(dataDir, name)).includes('forgettable-badger'),
            )
              ? undefined
              : true,
          ),
        30_000,
      );
    },
    120_000,
  );

  keeps(
    ['receipts.export'],
    'are exported whole and verified offline within seconds; a checkpoint that says something else is none',
    async () => {
      const all = join(seeded, `${bus}.ndjson`);
      const exported = await runCli(product, ['receipts', 'export', '--out', all]);
      expect(exported.code, exported.stderr).toBe(0);
      const heads = ['--heads', join(dataDir, 'heads.jsonl')];
      const key = ['--public-key', join(dataDir, 'keys/receipts.pub')];
      const startedAt = performance.now();
      const verified = await runCli(product, [
        'receipts',
        'verify',
        '--file',
        all,
        ...heads,
        ...key,
        '--json',
      ]);
      // Under 2 s on a machine of its own.
      expect(performance.now() - startedAt).toBeLessThan(30_000);
      expect(verified.code, verified.stdout).toBe(0);
      expect(JSON.parse(verified.stdout).chains).toMatchObject([{ ok: true, walked_from: aged + 1 }]);
      const lines = readFileSync(all, 'utf8').split('\n');
      expect(lines[0]).toContain(`{"checkpoint":{`);
      writeFileSync(
        forgedFile,
        [lines[0]?.replace(`"through_seq":${aged}`, '"through_seq":9'), ...lines.slice(1)].join('\n'),
      );
      const forged = await runCli(product, ['receipts', 'verify', '--file', forgedFile, ...heads, ...key]);
      expect(forged.code).toBe(1);
    },
    120_000,
  );
});
