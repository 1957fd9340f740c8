import { execFileSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  findPostgres,
  type PostgresDatabase,
  type PostgresServer,
  type Product,
  startPostgres,
  startProduct,
} from '@uar/testkit';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { runCli } from '../../cli.js';
import { admin, approvalWith, clientOf, decide, eventually, toolListed, user } from '../../client.js';
import { keeps } from '../../keeps.js';
import { buses, createCounters, fixtureServer, ledgerOn } from '../../on-both-buses.js';

const tool = 'fix__write';
const counters = createCounters();
afterAll(() => counters.remove());

/** Folder of the programs; `findPostgres` may have found links to some of them. */
const programs = (): string => dirname(realpathSync(join(findPostgres() ?? '', 'postgres')));

const runs = buses.includes('nats') && ledgerOn('nats') === 'postgres';

describe.runIf(runs)('a ledger in a PostgreSQL of its own', () => {
  let server: PostgresServer;
  let database: PostgresDatabase;
  let product: Product;
  beforeAll(async () => {
    server = await startPostgres();
    database = await server.createDatabase();
    const servers = { fix: fixtureServer({ COUNT_FILE: counters.nats.file }) };
    product = await startProduct({
      ...{ bus: 'nats', ledger: database, config: { mcp: { servers } } },
    });
    await toolListed(clientOf(product), tool);
  });
  afterAll(async () => {
    await product.stop();
    await server.stop();
  });
  const ran = (id: string): number => counters.nats.executions().filter((each) => each === id).length;
  const postgresTool = (program: string, args: readonly string[], input?: Buffer): Buffer =>
    execFileSync(join(programs(), program), args, {
      env: { PATH: process.env['PATH'] ?? '', PGPASSWORD: database.password },
      maxBuffer: 1 << 28,
      ...(input && { input }),
    });
  const cli = (...args: string[]) => runCli(product, args);

  keeps(
    ['ledger.postgres'],
    'is checked and verified beside the product; its own tools copy it, and the copy is whole',
    async () => {
      await clientOf(product).execute('fix__count', { id: 'before' });
      const checked = await cli('ledger', 'check', '--json');
      expect(checked.code, checked.stderr).toBe(0);
      expect(JSON.parse(checked.stdout)).toMatchObject({
        ok: true,
        chains: [{ tenant: 'default', ok: true }],
      });
      expect(checked.stdout).toContain('postgres://***@127.0.0.1');
      const verified = await cli('receipts', 'verify', '--offline');
      expect(verified.code, verified.stderr).toBe(0);
      for (const verb of ['backup', 'restore']) {
        const refused = await cli('ledger', verb, 'copy.db');
        expect(refused.code).toBe(1);
        expect(refused.stderr).toContain(verb === 'backup' ? 'pg_dump' : 'pg_restore');
      }
      const copy = await server.createDatabase();
      const dump = postgresTool('pg_dump', ['--format=custom', `--dbname=${database.url}`]);
      postgresTool('pg_restore', ['--no-owner', `--dbname=${copy.url}`], dump);
      const restored = await runCli(product, ['ledger', 'check', '--json'], { UAR_LEDGER_URL: copy.url });
      expect(restored.code, restored.stderr).toBe(0);
      expect(JSON.parse(restored.stdout).chains).toMatchObject([{ tenant: 'default', ok: true }]);
    },
    60_000,
  );

  keeps(
    ['ledger.postgres-gone', 'ledger.full'],
    'killed -9 while a call waits: calls are unavailable meanwhile, and the waiting one runs once',
    async () => {
      const client = clientOf(product, admin);
      const waiting = clientOf(product, user).execute(tool, { id: 'waits' });
      const approval = await approvalWith(client, 'waits');
      await server.kill();
      const ready = await eventually(async () => {
        const answer = await client.get('/readyz');
        return answer.status === 503 ? answer : undefined;
      });
      expect(ready.text).toContain('ledger_read_only');
      const refused = await clientOf(product, user).execute(tool, { id: 'meanwhile' });
      expect({ status: refused.status, outcome: String(refused.body['outcome']) }).toEqual({
        ...{ status: 503, outcome: 'unavailable' },
      });
      expect((await decide(client, approval, 'approve')).status).toBe(503);
      expect((await cli('ledger', 'check')).code).toBe(3);
      await server.restart();
      await eventually(async () => ((await client.get('/readyz')).status === 200 ? true : undefined), 20_000);
      expect((await decide(client, approval, 'approve')).status).toBe(200);
      expect((await waiting).body['outcome']).toBe('completed');
      expect([ran('waits'), ran('meanwhile')]).toEqual([1, 0]);
      expect((await client.get('/api/uar/receipts/verify')).body).toMatchObject({ ok: true });
    },
    120_000,
  );
});
