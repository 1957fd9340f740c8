import { once } from 'node:events';
import { createServer } from 'node:http';
import { pidsOf, type Product, type Replica, startProduct, startReplica } from '@uar/testkit';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import {
  type Body,
  type Client,
  admin,
  approvalWith,
  clientAt,
  clientOf,
  decide,
  eventually,
  toolListed,
  user,
} from '../../client.js';
import { keeps } from '../../keeps.js';
import { buses, createCounters, fixtureServer, ledgerOn } from '../../on-both-buses.js';

const tool = 'fix__write';
const counters = createCounters();
afterAll(() => counters.remove());

const messages: { id: string; event: string; approvalId: string }[] = [];
const hook = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    const body = JSON.parse(Buffer.concat(parts).toString()) as Body;
    const [id, event, approvalId] = [body['id'], body['event'], body['approval']?.['approval_id']].map(
      String,
    );
    messages.push({ id: id ?? '', event: event ?? '', approvalId: approvalId ?? '' });
    response.writeHead(204).end();
  });
});
hook.listen(0, '127.0.0.1');
await once(hook, 'listening');
afterAll(() => hook.close());

function hookUrl(): string {
  const address = hook.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return `http://127.0.0.1:${address.port}/hook`;
}

const runs = buses.includes('nats') && ledgerOn('nats') === 'postgres';

describe.runIf(runs)('two of each on one PostgreSQL', () => {
  let product: Product;
  let other: Replica;
  const replicas: Replica[] = [];
  const replica = async (service: Parameters<typeof startReplica>[1]): Promise<Replica> => {
    const started = await startReplica(product, service);
    replicas.push(started);
    return started;
  };
  beforeAll(async () => {
    product = await startProduct({
      bus: 'nats',
      ledger: 'postgres',
      env: { HOOK_KEY: 'the-key-of-this-scenario-is-long-enough' },
      config: {
        approvals: { max_new_per_minute: 1_000, webhook: { url: hookUrl(), secret_env: 'HOOK_KEY' } },
        mcp: { servers: { fix: fixtureServer({ COUNT_FILE: counters.nats.file }) } },
      },
    });
    other = await replica('gateway');
    await Promise.all([replica('governance-decider'), replica('approval-service')]);
    for (const url of [product.gateway, other.gateway ?? ''])
      await toolListed(clientAt(url, product.token(admin)), tool);
  });
  afterAll(async () => {
    await Promise.all(replicas.map((each) => each.kill()));
    await product.stop();
  });

  const ran = (id: string): number => counters.nats.executions().filter((each) => each === id).length;
  const atA = (who = admin): Client => clientOf(product, who);
  const atB = (who = admin): Client => clientAt(other.gateway ?? '', product.token(who));
  const verified = async () => (await atB().get('/api/uar/receipts/verify')).body;

  keeps(
    ['replicas.share'],
    '20 calls at once, asked at either gateway and decided at the other, each by two people at once, run once each',
    async () => {
      const ids = Array.from({ length: 20 }, (_, n) => `share-${n}`);
      const asked = ids.map((id, n) =>
        (n % 2 ? atA : atB)({ sub: `uma${n}`, roles: ['user'] }).execute(tool, { id }),
      );
      const decided = ids.map(async (id, n) => {
        const approval = await approvalWith(atA(), id);
        const voters = [atA, atB].map((at, nth) => at({ sub: `ada${nth}`, roles: ['admin', 'user'] }));
        const votes = await Promise.all(voters.map((voter) => decide(voter, approval, 'approve')));
        const statuses = votes.map(({ status }) => status);
        expect(statuses, `${id} ${n}`).toContain(200);
        for (const status of statuses) expect([200, 409]).toContain(status);
      });
      await Promise.all(decided);
      const outcomes = (await Promise.all(asked)).map(({ body }) => String(body['outcome']));
      expect(outcomes).toEqual(ids.map(() => 'completed'));
      expect(ids.map(ran)).toEqual(ids.map(() => 1));
      expect(await verified()).toMatchObject({ ok: true });
    },
    120_000,
  );

  keeps(
    ['replicas.webhook'],
    'two messages of each approval were sent, each once',
    async () => {
      await eventually(async () => (messages.length >= 40 ? true : undefined), 20_000);
      expect(new Set(messages.map(({ approvalId }) => approvalId)).size).toBe(20);
      expect(new Set(messages.map(({ id }) => id)).size).toBe(40);
      expect(messages).toHaveLength(40);
    },
    60_000,
  );

  keeps(
    ['replicas.dies'],
    'kill -9 of either approval-service between request and decision loses nothing',
    async () => {
      for (const which of ['the replica', 'the first']) {
        const id = `dies-${which.replace(' ', '-')}`;
        const waiting = atB(user).execute(tool, { id });
        const approval = await approvalWith(atA(), id);
        const pids = pidsOf(product, 'approval-service');
        const isReplica = (pid: number) => replicas.some((each) => each.pid === pid);
        const dying = pids.find((pid) => isReplica(pid) === (which === 'the replica'));
        if (dying === undefined) throw new Error(`${which} is not among ${pids.join(', ')}`);
        process.kill(dying, 'SIGKILL');
        // What is on its way to it at that moment ends as `unavailable`; people do not decide that fast.
        await eventually(() =>
          Promise.resolve(pidsOf(product, 'approval-service').includes(dying) ? undefined : true),
        );
        await new Promise((resolve) => setTimeout(resolve, 500));
        await eventually(async () => {
          const { status } = await decide(atA(), approval, 'approve');
          return status === 200 || status === 409 ? true : undefined;
        }, 20_000);
        expect((await waiting).body['outcome'], id).toBe('completed');
        expect(ran(id)).toBe(1);
        if (which === 'the replica') await replica('approval-service');
      }
      expect(await verified()).toMatchObject({ ok: true });
    },
    120_000,
  );

  keeps(
    ['replicas.dies'],
    'what a gateway left open that died with the leading approval-service is ended by the other one',
    async () => {
      const gateway = await replica('gateway');
      const asUser = clientAt(gateway.gateway ?? '', product.token(user));
      await toolListed(clientAt(gateway.gateway ?? '', product.token(admin)), tool);
      const waiting = asUser.execute(tool, { id: 'left-open' }).catch(() => undefined);
      const approval = await approvalWith(atA(), 'left-open');
      // Whoever leads: the launcher starts its own again, and that one comes too late to lead.
      for (const pid of pidsOf(product, 'approval-service'))
        if (!replicas.some((each) => each.pid === pid)) process.kill(pid, 'SIGKILL');
      await gateway.kill();
      const diedAt = performance.now();
      await waiting;
      await eventually(async () => {
        const { body } = await atA().get(`/api/uar/approvals/${String(approval['approval_id'])}`);
        return String(body['status']) === 'channel_closed' ? true : undefined;
      }, 20_000);
      const tookMs = performance.now() - diedAt;
      console.info(`from kill -9 of gateway and leader to channel_closed: ${tookMs.toFixed(0)} ms`);
      expect(tookMs).toBeLessThan(15_000);
      expect(ran('left-open')).toBe(0);
      expect(await verified()).toMatchObject({ ok: true });
    },
    60_000,
  );
});
