import { startPostgres, type PostgresServer } from '@uar/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { acme, receipt } from '../../conformance/samples.fixture.js';
import type { Ledger } from '../../ledger.js';
import { openLedger, type PostgresLedgerOptions } from '../../open-ledger.js';
import { optionsIn, query, withPostgres } from './postgres.fixture.js';

withPostgres('a ledger whose Postgres goes away', () => {
  let server: PostgresServer;
  let options: PostgresLedgerOptions;
  let ledger: Ledger;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    options = optionsIn(await server.createDatabase());
    ledger = await openLedger(options);
  });
  afterEach(() => ledger.close());

  const append = async (): Promise<number> => {
    const [place] = await ledger.appendReceipts({ receipts: [receipt()] });
    return place?.seq ?? 0;
  };
  const appendable = () => expect.poll(append, { timeout: 10_000 }).toBeGreaterThan(0);

  it('keeps what it acknowledged when the server is killed in the middle of writes, and goes on by itself', async () => {
    let acknowledged = 0;
    const errors: unknown[] = [];
    const lane = async (): Promise<void> => {
      while (errors.length === 0) {
        await append().then(
          (seq) => (acknowledged = Math.max(acknowledged, seq)),
          (error: unknown) => errors.push(error),
        );
      }
    };
    const lanes = Promise.all(Array.from({ length: 16 }, lane));
    await expect.poll(() => acknowledged, { timeout: 20_000 }).toBeGreaterThan(200);
    await server.kill();
    await lanes;
    expect(errors).toSatisfy((all: unknown[]) =>
      all.every((error) => error instanceof Error && 'kind' in error && error.kind === 'unavailable'),
    );
    await server.restart();
    await appendable();
    const found = await ledger.verifyReceipts({ tenant: acme });
    expect(found).toMatchObject({ ok: true });
    expect(found.length).toBeGreaterThan(acknowledged);
  });

  it('is unavailable within seconds while the server does not answer, and then goes on', async () => {
    await append();
    server.freeze();
    const started = performance.now();
    await expect(append()).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(ledger.readReceipt({ tenant: acme, seq: 1 })).rejects.toMatchObject({ kind: 'unavailable' });
    expect(performance.now() - started).toBeLessThan(12_000);
    server.thaw();
    await appendable();
    expect(await ledger.verifyReceipts({ tenant: acme })).toMatchObject({ ok: true });
  });

  it('takes a restart while nobody asks for no loss at all', async () => {
    await append();
    await server.restart();
    expect(await append()).toBe(2);
    expect(await ledger.readReceipt({ tenant: acme, seq: 2 })).toMatchObject({ kind: 'found' });
  });

  it('is unavailable, with nothing written, where its connection is ended in the middle', async () => {
    await append();
    const ended = query(
      options,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'uar-ledger'`,
    );
    const asked = await Promise.allSettled([...Array.from({ length: 50 }, append), ended]);
    const written = asked.filter(({ status }) => status === 'fulfilled').length - 1;
    await appendable();
    const { length, ok } = await ledger.verifyReceipts({ tenant: acme });
    expect(ok).toBe(true);
    expect(length).toBeGreaterThanOrEqual(written + 2);
  });

  it('is closed although the server does not answer', async () => {
    const closing = await openLedger(options);
    await closing.probe();
    server.freeze();
    const started = performance.now();
    await closing.close();
    expect(performance.now() - started).toBeLessThan(5_000);
    server.thaw();
  });

  it('acknowledges nothing that a synchronous standby has not, whatever the server would settle for', async () => {
    const standbys = async (names: string): Promise<void> => {
      await query(options, `ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
      await query(options, 'SELECT pg_reload_conf()');
    };
    await query(options, 'ALTER SYSTEM SET synchronous_commit = off');
    await server.restart();
    await append();
    await standbys('nobody');
    await expect
      .poll(() => query(options, 'SHOW synchronous_standby_names'))
      .toMatchObject([{ synchronous_standby_names: 'nobody' }]);
    await expect(append()).rejects.toMatchObject({ kind: 'unavailable' });
    await standbys('');
    await appendable();
  });

  it('says no password in what it says', async () => {
    await server.kill();
    const said = await append().catch(String);
    expect(said).toContain('is not available');
    expect(said).not.toContain(options.password);
    await server.restart();
    await expect(openLedger({ ...options, password: 'wrong-badger' })).rejects.toThrow(
      /password authentication failed/,
    );
    await expect(openLedger({ ...options, password: 'wrong-badger' })).rejects.not.toThrow('badger');
  });
});
