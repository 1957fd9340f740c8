import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { sharedPostgresDatabase } from '@uar/testkit';
import { sourceHooks } from '@uar/threads';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { acme, receipt } from '../../conformance/samples.fixture.js';
import type { Ledger } from '../../ledger.js';
import { openLedger, type PostgresLedgerOptions } from '../../open-ledger.js';
import { placeOf } from '../place.js';
import { PostgresDatabase } from '../postgres-database.js';
import { optionsIn, withPostgres } from './postgres.fixture.js';

withPostgres('a replica of a ledger in Postgres', () => {
  let folder: string;
  let options: PostgresLedgerOptions;
  let ledger: Ledger;
  let replica: ChildProcess | undefined;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'uar-replica-'));
    options = optionsIn(await sharedPostgresDatabase());
    ledger = await openLedger(options);
  });
  afterEach(async () => {
    replica?.kill('SIGKILL');
    await ledger.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** A second process that appends to the same ledger; `lines` are the numbers that it was told are durable. */
  function startReplica(): AsyncIterableIterator<string> {
    const key = join(folder, 'key');
    writeFileSync(key, options.signingKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
    const script = fileURLToPath(new URL('./replica.fixture.ts', import.meta.url));
    const { url, password } = options;
    const child = spawn(process.execPath, ['--import', sourceHooks.href, script], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, LEDGER_URL: url, LEDGER_PASSWORD: password, LEDGER_KEY: key },
    });
    replica = child;
    return createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  }

  it('that is killed in the middle of its work leaves all it was answered, and holds up nobody', async () => {
    let acknowledged = 0;
    for await (const line of startReplica()) {
      acknowledged = Number(line);
      if (acknowledged === 30) replica?.kill('SIGKILL');
    }
    const [place] = await ledger.appendReceipts({ receipts: [receipt()] });
    expect(place?.seq).toBeGreaterThan(acknowledged);
    expect(await ledger.verifyReceipts({ tenant: acme })).toMatchObject({ ok: true, length: place?.seq });
  });

  it('that stops in the middle of its turn loses it, and knows that nothing was written', async () => {
    const limits = { connectMs: 5_000, statementMs: 5_000, lockMs: 5_000, idleInTransactionMs: 1_000 };
    const { url, password = '' } = options;
    const stopped = new PostgresDatabase({ place: placeOf(url), password, limits });
    try {
      stopped.begin();
      stopped.prepare('UPDATE probe SET count = count + 1').run();
      expect(stopped.prepare<[], { count: number }>('SELECT count FROM probe').get()).toEqual({ count: 1 });
      expect(await ledger.appendReceipts({ receipts: [receipt()] })).toMatchObject([{ seq: 1 }]);
      expect(() => stopped.commit()).toThrow('is not available');
      expect(stopped.prepare<[], { count: number }>('SELECT count FROM probe').get()).toEqual({ count: 0 });
    } finally {
      stopped.close();
    }
  });

  it('that is frozen, in the middle of a transaction or not, holds up the others for seconds at most', async () => {
    const lines = startReplica();
    await lines.next();
    const started = performance.now();
    for (let times = 0; times < 5; times += 1) {
      replica?.kill('SIGSTOP');
      const append = () =>
        ledger.appendReceipts({ receipts: [receipt()] }).then(([place]) => place?.seq ?? 0);
      await expect.poll(append, { timeout: 15_000 }).toBeGreaterThan(0);
      replica?.kill('SIGCONT');
      await lines.next();
    }
    expect(performance.now() - started).toBeLessThan(60_000);
    replica?.kill('SIGKILL');
    if (replica) await once(replica, 'exit');
    expect(await ledger.verifyReceipts({ tenant: acme })).toMatchObject({ ok: true });
  });
});
