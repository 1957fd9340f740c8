import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pidsOf, type Product, startProduct } from '@uar/testkit';
import Database from 'better-sqlite3';
import { afterAll, describe, expect } from 'vitest';
import { runCli } from '../../cli.js';
import { admin, clientOf, decide, eventually, pendingApproval, receiptOf, toolListed } from '../../client.js';
import { keeps } from '../../keeps.js';
import { createCounters, fixtureServer, onBothBuses } from '../../on-both-buses.js';

const counters = createCounters();
afterAll(() => counters.remove());

const config = (countFile: string) => ({
  mcp: {
    servers: {
      fix: fixtureServer({ COUNT_FILE: countFile }),
      asks: fixtureServer(
        { COUNT_FILE: countFile },
        { tools: { overrides: { '*': { risk: 3, read_only: false } } } },
      ),
    },
  },
});

/** Every write of these processes beyond the first byte of a file fails from now on, or again does not. */
function limitFiles(pids: readonly number[], size: '1' | 'unlimited'): boolean {
  return pids.every((pid) => spawnSync('prlimit', ['--pid', String(pid), `--fsize=${size}:`]).status === 0);
}

const canLimit = spawnSync('prlimit', ['--version']).status === 0;
if (!canLimit) console.warn('not run: ledger.full with a full disk (no prlimit)');

onBothBuses(
  'a ledger file that cannot be written',
  (bus) => ({ ledger: 'sqlite', config: config(counters[bus].file) }),
  (product, bus) => {
    /** Makes the ledger unwritable, looks at what everybody says, and gives it back. */
    async function whileUnwritable(name: string, harm: () => () => void): Promise<void> {
      const client = clientOf(product());
      const approver = clientOf(product(), { sub: 'vera', roles: ['admin', 'user', 'approver'] });
      await toolListed(client, 'fix__count');
      await toolListed(client, 'asks__count');
      const before = await client.execute('fix__count', { id: `${name}-before` });
      expect(before.status, before.text).toBe(200);
      const acknowledged = await receiptOf(client, before.body);
      const waiting = await client.execute(
        'asks__count',
        { id: `${name}-asked` },
        { prefer: 'respond-async' },
      );
      expect(waiting.status, waiting.text).toBe(202);
      const approval = await pendingApproval(approver, 'asks__count');
      const heal = harm();
      try {
        const ready = await eventually(async () => {
          const answer = await client.get('/readyz');
          return answer.status === 503 ? answer : undefined;
        });
        expect(ready.text).toContain('ledger_read_only');
        const vote = await decide(approver, approval, 'approve');
        expect({ status: vote.status, text: vote.text }).toMatchObject({ status: 503 });
        const call = await client.execute('asks__count', { id: `${name}-refused` });
        expect(call.status, call.text).toBe(503);
        expect(String(call.body['outcome'])).toBe('unavailable');
        expect(counters[bus].executions()).not.toContain(`${name}-refused`);
        // What needs no write of its own is refused with the first receipt that could not be written.
        const unasked = await eventually(async () => {
          const answer = await client.execute('fix__count', { id: `${name}-unasked` });
          return answer.status === 503 ? answer : undefined;
        }, 15_000);
        expect(unasked.body).toMatchObject({ outcome: 'unavailable', effect: 'did_not_run' });
        expect(counters[bus].executions()).not.toContain(`${name}-asked`);
      } finally {
        heal();
      }
      await eventually(async () => ((await client.get('/readyz')).status === 200 ? true : undefined), 5_000);
      const kept = await client.get(`/api/uar/receipts/${String(acknowledged['seq'])}`);
      expect(kept.body['hash']).toBe(acknowledged['hash']);
      expect((await decide(approver, approval, 'approve')).status).toBe(200);
      await eventually(() =>
        Promise.resolve(counters[bus].executions().includes(`${name}-asked`) ? true : undefined),
      );
      const verified = await client.get('/api/uar/receipts/verify');
      expect(verified.body).toMatchObject({ ok: true });
    }

    if (canLimit)
      keeps(['ledger.full'], 'a disk without room', () =>
        whileUnwritable('full', () => {
          const pids = bus === 'nats' ? pidsOf(product(), 'approval-service') : [product().pid];
          expect(pids.length).toBeGreaterThan(0);
          expect(limitFiles(pids, '1')).toBe(true);
          return () => void limitFiles(pids, 'unlimited');
        }),
      );

    keeps(['ledger.full'], 'a file that another process holds', () =>
      whileUnwritable('locked', () => {
        const other = new Database(join(product().dataDir, 'ledger.db'));
        other.exec('BEGIN IMMEDIATE');
        return () => {
          other.exec('ROLLBACK');
          other.close();
        };
      }),
    );
  },
);

describe('the ledger of a product that runs and stops', () => {
  let running: Product | undefined;
  let dataDir = '';
  const stopped: Product[] = [];
  const start = async (): Promise<Product> => {
    const options = { bus: 'inprocess', config: config(counters.inprocess.file) } as const;
    running = await startProduct(dataDir === '' ? options : { ...options, dataDir });
    dataDir = running.dataDir;
    await toolListed(clientOf(running), 'fix__count');
    return running;
  };
  const stop = async (): Promise<void> => {
    if (running) stopped.push(running);
    await running?.stop({ keepData: true });
    running = undefined;
  };
  const call = async (product: Product, id: string) => {
    const answer = await clientOf(product).execute('fix__count', { id });
    return receiptOf(clientOf(product), answer.body);
  };
  const cli = (...args: string[]) => runCli({ dataDir }, args);
  afterAll(async () => {
    await stop();
    for (const product of stopped) await product.stop();
  });

  keeps(['ledger.backup', 'ledger.restore'], 'is backed up, put back, and says so', async () => {
    const product = await start();
    const backup = join(dataDir, '../backup.db');
    for (let n = 0; n < 3; n += 1) await call(product, `b${n}`);
    const made = await cli('ledger', 'backup', backup, '--json');
    expect(made.code, made.stderr).toBe(0);
    expect(statSync(backup).mode & 0o777).toBe(0o600);
    const [chain] = JSON.parse(made.stdout).chains as { tenant: string; length: number; ok: boolean }[];
    expect(chain).toMatchObject({ tenant: 'default', ok: true });
    const over = await cli('ledger', 'backup', backup);
    expect(over).toMatchObject({ code: 2, stderr: expect.stringContaining('--force') });
    expect((await cli('ledger', 'check', backup)).code).toBe(0);
    expect((await cli('ledger', 'check')).code).toBe(0);
    const late = await call(product, 'late');
    const shipped = join(dataDir, '../shipped.jsonl');
    copyFileSync(join(dataDir, 'heads.jsonl'), shipped);
    const inUse = await cli('ledger', 'restore', backup);
    expect(inUse).toMatchObject({ code: 1, stderr: expect.stringContaining('is in use by process') });
    await stop();
    const asked = await cli('ledger', 'restore', backup);
    expect(asked).toMatchObject({ code: 1, stderr: expect.stringContaining('tenant default') });
    const flag = /--accept-loss (default=\d+)/.exec(asked.stderr)?.[1] ?? '';
    expect(flag).not.toBe('');
    const wrong = await cli('ledger', 'restore', backup, '--accept-loss', 'default=1000');
    expect(wrong.code).toBe(1);
    const done = await cli('ledger', 'restore', backup, '--accept-loss', flag, '--json');
    expect(done.code, done.stderr).toBe(0);
    const again = await start();
    const client = clientOf(again, admin);
    expect((await client.get('/api/uar/receipts/verify')).body).toMatchObject({ ok: true });
    const restore = await client.get(`/api/uar/receipts/${(chain?.length ?? 0) + 1}`);
    expect(restore.body).toMatchObject({ kind: 'admin', action: 'ledger.restore' });
    const lost = await client.get(`/api/uar/receipts/${String(late['seq'])}`);
    expect(lost.body['hash']).not.toBe(late['hash']);
    const exported = join(dataDir, '../all.ndjson');
    expect((await cli('receipts', 'export', '--out', exported)).code).toBe(0);
    const key = join(dataDir, 'keys/receipts.pub');
    const verify = (heads: string) =>
      cli('receipts', 'verify', '--file', exported, '--heads', heads, '--public-key', key);
    expect((await verify(join(dataDir, 'heads.jsonl'))).code).toBe(0);
    expect((await verify(shipped)).code).toBe(1);
    await stop();
  });

  const harms: readonly [string, (file: string) => void, string][] = [
    ['a damaged page', damagePages, 'fails its integrity check'],
    ['a cut file', (file) => truncateSync(file, 8192), 'is cut short'],
    ['a file that is no database', (file) => writeFileSync(file, 'other '.repeat(9_999)), 'is no database'],
    ['a missing file', (file) => rmSync(file), 'is missing'],
    ['a later version', laterSchema, 'has schema 99'],
  ];
  for (const [name, harm, problem] of harms)
    keeps(['ledger.damaged'], `does not start: ${name}`, async () => {
      const file = join(dataDir, 'ledger.db');
      const kept = readFileSync(file);
      harm(file);
      const size = statSync(file, { throwIfNoEntry: false })?.size;
      const refused = await start().then(
        () => 'it started',
        (error: unknown) => String(error),
      );
      expect(refused).toContain(`ledger.db ${problem}`.replace('is no database', 'is no ledger'));
      expect(refused).toMatch(/uar ledger restore|restore a backup/);
      expect(statSync(file, { throwIfNoEntry: false })?.size).toBe(size);
      for (const suffix of ['-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true });
      writeFileSync(file, kept, { mode: 0o600 });
    });
});

function damagePages(file: string): void {
  const bytes = readFileSync(file);
  bytes.fill(0xa5, 4096 * 4, 4096 * 24);
  writeFileSync(file, bytes);
}

function laterSchema(file: string): void {
  const database = new Database(file);
  database.exec(`INSERT INTO schema_migrations VALUES (99, 'of the future', 'then')`);
  database.close();
}
