import { pidOf, type Product, startProduct } from '@uar/testkit';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { type Answer, clientOf, eventually, toolListed } from '../../client.js';
import { keeps } from '../../keeps.js';
import { buses, createCounters, fixtureServer, ledgerOn } from '../../on-both-buses.js';

const counters = createCounters();
afterAll(() => counters.remove());

describe.runIf(buses.includes('nats'))('killed services (nats)', () => {
  let product: Product;
  beforeAll(async () => {
    const config = {
      mcp: { servers: { fix: fixtureServer({ COUNT_FILE: counters.nats.file }, { concurrency: 16 }) } },
    };
    product = await startProduct({ bus: 'nats', ledger: ledgerOn('nats'), config });
    await toolListed(clientOf(product), 'fix__count');
  });
  afterAll(() => product.stop());

  keeps(
    ['call.at-most-once'],
    'kill -9 of the connector in the middle of 200 calls: one outcome each, none ran twice',
    async () => {
      const client = clientOf(product);
      const ids = Array.from({ length: 200 }, (_, index) => `chaos-${index}`);
      const answers = new Map<string, Answer>();
      const queue = [...ids];
      const caller = async (): Promise<void> => {
        for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
          answers.set(id, await client.execute('fix__count', { id, wait_ms: 20 }));
        }
      };
      const callers = Promise.all(Array.from({ length: 16 }, caller));
      await eventually(async () => (counters.nats.executions().length > 60 ? true : undefined), 30_000);
      process.kill(pidOf(product, 'mcp-connector'), 'SIGKILL');
      await callers;
      expect(answers.size).toBe(200);
      const executions = counters.nats.executions();
      for (const id of ids) {
        const outcome = String(answers.get(id)?.body['outcome']);
        const times = executions.filter((each) => each === id).length;
        expect(times, `${id} ${outcome}`).toBeLessThanOrEqual(1);
        if (outcome === 'completed') expect(times, id).toBe(1);
        if (String(answers.get(id)?.body['effect']) === 'did_not_run') expect(times, id).toBe(0);
      }
      const outcomes = [...answers.values()].map(({ body }) => String(body['outcome']));
      expect(outcomes).toContain('completed');
      expect(outcomes.filter((outcome) => outcome !== 'completed').length).toBeGreaterThan(0);
      await eventually(async () => {
        const next = await client.execute('fix__count', { id: 'after-kill' });
        return next.status === 200 ? next : undefined;
      }, 20_000);
    },
  );

  keeps(
    ['policy.decider-down'],
    'without the PDP calls and lists are unavailable and nothing runs',
    async () => {
      const client = clientOf(product);
      const before = counters.nats.executions().length;
      const decider = pidOf(product, 'governance-decider');
      process.kill(decider, 'SIGSTOP');
      const call = await client.execute('fix__count', { id: 'no-pdp' });
      const list = await clientOf(product, { sub: 'somebody-new', roles: ['admin'] }).get('/api/tools');
      process.kill(decider, 'SIGCONT');
      expect({ status: call.status, outcome: call.body['outcome'] }).toEqual({
        status: 503,
        outcome: 'unavailable',
      });
      expect(list.status).toBe(503);
      expect(counters.nats.executions()).toHaveLength(before);
      await eventually(async () =>
        (await client.execute('fix__count', { id: 'pdp-back' })).status === 200 ? true : undefined,
      );
    },
  );
});
