import { pidOf, type Product, type Replica, startProduct, startReplica } from '@uar/testkit';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import {
  type Answer,
  type Client,
  admin,
  approvalWith,
  clientAt,
  clientOf,
  decide,
  eventually,
  outcomesOf,
  toolListed,
  user,
} from '../../client.js';
import { keeps } from '../../keeps.js';
import { buses, createCounters, fixtureServer, ledgerOn } from '../../on-both-buses.js';

const tool = 'fix__write';
const counters = createCounters();
afterAll(() => counters.remove());

function ended(client: Client, callId: string): Promise<Answer> {
  return eventually(async () => {
    const answer = await client.get(`/api/uar/calls/${callId}`);
    return answer.status === 200 ? answer : undefined;
  }, 20_000);
}

describe.runIf(buses.includes('nats'))('replicas that die (nats)', () => {
  let product: Product;
  const replicas: Replica[] = [];
  beforeAll(async () => {
    const servers = { fix: fixtureServer({ COUNT_FILE: counters.nats.file }) };
    product = await startProduct({ bus: 'nats', ledger: ledgerOn('nats'), config: { mcp: { servers } } });
    replicas.push(await startReplica(product, 'governance-decider'));
    await toolListed(clientOf(product), tool);
  });
  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.kill()));
    await product.stop();
  });
  const ran = (id: string): number => counters.nats.executions().filter((each) => each === id).length;
  const reviewer = (): Client => clientOf(product, admin);

  async function otherGateway(): Promise<{ replica: Replica; asUser: Client }> {
    const replica = await startReplica(product, 'gateway');
    replicas.push(replica);
    const at = (who: typeof user): Client => clientAt(replica.gateway ?? '', product.token(who));
    await toolListed(at(admin), tool);
    return { replica, asUser: at(user) };
  }

  keeps(
    ['approval.replicas'],
    'a call waits at one gateway, another one takes the decision, and it runs once',
    async () => {
      const { replica, asUser } = await otherGateway();
      const waiting = asUser.execute(tool, { id: 'replicas' });
      let resumedAt = 0;
      void waiting.then(() => (resumedAt = performance.now()));
      const approval = await approvalWith(reviewer(), 'replicas');
      const decidedAt = performance.now();
      expect((await decide(reviewer(), approval, 'approve')).status).toBe(200);
      expect((await waiting).body['outcome']).toBe('completed');
      const tookMs = resumedAt - decidedAt;
      console.info(`from the decision being sent to the resumed caller: ${tookMs.toFixed(0)} ms`);
      expect(tookMs).toBeLessThan(2_000);
      expect(ran('replicas')).toBe(1);
      await replica.kill();
    },
  );

  keeps(
    ['approval.gateway-dies', 'recovery.kept-calls'],
    'kill -9 of the gateway of a waiting call closes it within three seconds, and a vote at that moment runs nothing',
    async () => {
      const { replica, asUser } = await otherGateway();
      const keyed = { 'idempotency-key': 'dies', prefer: 'respond-async' };
      const kept = await asUser.execute(tool, { id: 'dies-kept' }, keyed);
      expect(kept.status).toBe(202);
      const callId = String(kept.body['call_id']);
      const waiting = asUser.execute(tool, { id: 'dies-waiting' }).catch(() => undefined);
      const approvals = [
        await approvalWith(reviewer(), 'dies-kept'),
        await approvalWith(reviewer(), 'dies-waiting'),
      ];
      const killed = replica.kill();
      const diedAt = performance.now();
      const [, other = {}] = approvals;
      const voting = decide(reviewer(), other, 'approve');
      for (const approval of approvals)
        await eventually(async () => {
          const { body } = await reviewer().get(`/api/uar/approvals/${String(approval['approval_id'])}`);
          return String(body['status']) === 'channel_closed' ? true : undefined;
        }, 20_000);
      const tookMs = performance.now() - diedAt;
      console.info(`from kill -9 of the gateway to channel_closed: ${tookMs.toFixed(0)} ms`);
      expect(tookMs).toBeLessThan(3_000);
      await Promise.all([killed, waiting]);
      expect((await voting).status).toBe(409);
      expect((await decide(reviewer(), approvals[0] ?? {}, 'approve')).status).toBe(409);
      const { body } = await ended(clientOf(product, user), callId);
      expect(body).toMatchObject({
        ...{ call_id: callId, outcome: 'channel_closed', effect: 'did_not_run', success: false },
        ...{ error: { code: 'channel_closed' }, approval: { status: 'channel_closed' } },
      });
      const again = await clientOf(product, user).execute(tool, { id: 'dies-kept' }, keyed);
      expect(again.body['call_id']).toBe(callId);
      expect(again.body['outcome']).toBe('channel_closed');
      for (const approval of approvals) {
        const outcomes = await outcomesOf(reviewer(), String(approval['call_id']));
        expect(outcomes.map((each) => String(each['outcome']))).toEqual(['channel_closed']);
      }
      expect(ran('dies-kept') + ran('dies-waiting')).toBe(0);
    },
  );

  keeps(
    ['recovery.intents'],
    'kill -9 of the gateway right after dispatch leaves one receipt: it may have run',
    async () => {
      const { replica, asUser } = await otherGateway();
      const waiting = asUser.execute(tool, { id: 'intent', wait_ms: 60_000 }).catch(() => undefined);
      const approval = await approvalWith(reviewer(), 'intent');
      expect((await decide(reviewer(), approval, 'approve')).status).toBe(200);
      await eventually(async () => (ran('intent') === 1 ? true : undefined));
      await replica.kill();
      await waiting;
      const outcomes = await eventually(async () => {
        const found = await outcomesOf(reviewer(), String(approval['call_id']));
        return found.length > 0 ? found : undefined;
      }, 20_000);
      expect(outcomes).toMatchObject([
        { outcome: 'transport_failure', effect: 'may_have_run', cause: 'gateway_gone' },
      ]);
      expect(ran('intent')).toBe(1);
    },
  );

  keeps(
    ['approval.service-restarts'],
    'kill -9 of the approval-service between question and decision loses nothing and runs the call once',
    async () => {
      const waiting = clientOf(product, user).execute(tool, { id: 'restart' });
      const approval = await approvalWith(reviewer(), 'restart');
      process.kill(pidOf(product, 'approval-service'), 'SIGKILL');
      await eventually(async () => {
        const { status } = await decide(reviewer(), approval, 'approve');
        return status === 200 ? true : undefined;
      }, 60_000);
      expect((await waiting).body['outcome']).toBe('completed');
      expect(ran('restart')).toBe(1);
      expect(await outcomesOf(reviewer(), String(approval['call_id']))).toHaveLength(1);
    },
  );
});

describe('everything in one process', () => {
  keeps(
    ['recovery.kept-calls', 'approval.gateway-dies'],
    'kill -9 and a start on the same data end what waited: closed, told, and never run',
    async () => {
      const servers = { fix: fixtureServer({ COUNT_FILE: counters.inprocess.file }) };
      const options = { bus: 'inprocess' as const, config: { mcp: { servers } } };
      const first = await startProduct(options);
      await toolListed(clientOf(first), tool);
      const asked = await clientOf(first, user).execute(tool, { id: 'all' }, { prefer: 'respond-async' });
      const approval = await approvalWith(clientOf(first), 'all');
      process.kill(first.pid, 'SIGKILL');
      await first.stop({ keepData: true });
      const second = await startProduct({ ...options, dataDir: first.dataDir });
      try {
        const { body } = await ended(clientOf(second, user), String(asked.body['call_id']));
        expect(body).toMatchObject({ outcome: 'channel_closed', effect: 'did_not_run' });
        expect((await decide(clientOf(second), approval, 'approve')).status).toBe(409);
        expect(await outcomesOf(clientOf(second), String(approval['call_id']))).toHaveLength(1);
        expect(counters.inprocess.executions()).toEqual([]);
      } finally {
        await second.stop();
      }
    },
  );
});
