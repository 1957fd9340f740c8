import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Gateway, until } from '../http-spec/gateway.fixture.js';
import { oneHuman } from '../http-spec/neighbours.fixture.js';

const runs = '/api/uar/runs';
const allowed = { kind: 'allow' as const, policy_version: 'v1', determining: [], governance: 'on' as const };

describe('runs that end', () => {
  let gateway: Gateway;
  beforeEach(async () => {
    gateway = await Gateway.start();
  });
  afterEach(() => gateway.stop());

  /** A host that ends a call when it is told to. */
  const untilCancelled = async ({ call_id }: { call_id: string }) => {
    await until(() => gateway.neighbours.cancelled.includes(call_id));
    return { kind: 'cancelled' as const, dispatched: true };
  };
  const open = async (body: object = {}): Promise<string> =>
    String((await gateway.ask('POST', runs, { body })).body['run_id']);
  const outcomeIn = async (run_id: string, tool: string) =>
    (await gateway.ask('POST', `/api/tools/${tool}/execute`, { body: { run_id } })).body['outcome'];

  it('take their pending approvals and running calls with them, in every gateway', async () => {
    const other = await gateway.replica();
    const id = await open();
    gateway.neighbours.decide = (ask) =>
      ask.question.tool.raw_name === 'write' ? oneHuman(ask) : { ...allowed, grant: 'grant' };
    gateway.neighbours.run = untilCancelled;
    const at = (where: Gateway, tool: string) =>
      where.ask('POST', `/api/tools/${tool}/execute`, {
        body: { run_id: id, arguments: { where: where.url } },
      });
    const waiting = [at(gateway, 'srv__write'), at(other, 'srv__write')];
    const running = [at(gateway, 'srv__echo'), at(other, 'srv__echo')];
    await until(() => gateway.neighbours.records.size === 2 && gateway.neighbours.calls.length === 2);
    await gateway.ask('POST', `${runs}/${id}/cancel`);
    for (const { status, body } of await Promise.all(waiting))
      expect([status, body['outcome'], body['effect']]).toEqual([409, 'cancelled', 'did_not_run']);
    await until(() => gateway.neighbours.cancelled.length === 2);
    for (const { status, body } of await Promise.all(running))
      expect([status, body['outcome'], body['effect']]).toEqual([
        409,
        'cancelled_after_dispatch',
        'may_have_run',
      ]);
    expect([...gateway.neighbours.records.values()].map(({ status }) => status)).toEqual([
      'cancelled',
      'cancelled',
    ]);
    expect(JSON.parse((await other.ask('GET', `${runs}/${id}`)).text).status).toBe('cancelled');
    await other.running.stop();
  });

  it('end what waits in them when their time is over', async () => {
    gateway.neighbours.decide = oneHuman;
    const id = await open({ ttl_seconds: 1 });
    expect(await outcomeIn(id, 'srv__write')).toBe('run_denied');
    expect([...gateway.neighbours.records.values()].map(({ status }) => status)).toEqual(['cancelled']);
  });
});
