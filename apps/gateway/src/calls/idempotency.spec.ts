import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decided } from '../http-spec/neighbours.fixture.js';
import { Gateway, until, type HttpAnswer } from '../http-spec/gateway.fixture.js';

const rates = [
  { name: 'once', per: 'principal', calls: 1, window_seconds: 1, match: { tools: ['srv__w*'] } },
];

describe('an Idempotency-Key', () => {
  let gateway: Gateway;
  beforeEach(async () => {
    gateway = await Gateway.start({ limits: { rates } });
  });
  afterEach(() => gateway.stop());

  const once = (key: string, tool = 'srv__echo', body: object = {}): Promise<HttpAnswer> =>
    gateway.execute(tool, body, { 'idempotency-key': key });
  /** Views are kept behind the answer. */
  const kept = (count: number): Promise<void> => until(() => gateway.neighbours.ledger.kept.size === count);

  it('runs the same idempotency key once, and refuses it for another request', async () => {
    const key = { 'idempotency-key': 'k-1' };
    const first = await gateway.execute('srv__echo', { arguments: { n: 1 } }, key);
    await until(() => gateway.neighbours.ledger.kept.size === 1);
    const second = await gateway.execute('srv__echo', { arguments: { n: 1 } }, key);
    expect(second.status).toBe(200);
    expect(second.body['call_id']).toBe(first.body['call_id']);
    expect(second.body['result']).toEqual(first.body['result']);
    expect(gateway.neighbours.calls.length).toBe(1);
    expect((await gateway.execute('srv__echo', { arguments: { n: 2 } }, key)).status).toBe(422);
  });

  it('tries anew after unavailable, which ran nothing, and once only', async () => {
    gateway.neighbours.decide = () => {
      throw new Error('the decider has a bad moment');
    };
    const first = await once('k-2');
    expect([first.status, first.body['outcome'], first.body['effect']]).toEqual([
      ...[503, 'unavailable', 'did_not_run'],
    ]);
    await kept(1);
    gateway.neighbours.decide = () => ({ kind: 'allow', ...decided, grant: 'grant' });
    const retries = await Promise.all([once('k-2'), once('k-2'), once('k-2')]);
    expect(gateway.neighbours.calls).toHaveLength(1);
    const served = retries.find(({ status }) => status === 200);
    expect(served?.body['outcome']).toBe('completed');
    expect(served?.body['call_id']).not.toEqual(first.body['call_id']);
    await kept(2);
    expect((await once('k-2')).body['call_id']).toEqual(served?.body['call_id']);
    expect(gateway.neighbours.calls).toHaveLength(1);
    const refused = await gateway.ask('GET', `/api/uar/calls/${String(first.body['call_id'])}`);
    expect(refused.body['outcome']).toBe('unavailable');
  });

  it('tries anew, once, where the answer to its claim was lost', async () => {
    gateway.neighbours.ledger.lostClaims = 1;
    expect((await once('k-6')).status).toBe(503);
    const retries = await Promise.all([once('k-6'), once('k-6')]);
    expect(retries.map(({ status, body }) => [status, body['outcome']])).toEqual([
      [200, 'completed'],
      [200, 'completed'],
    ]);
    expect(gateway.neighbours.calls).toHaveLength(1);
  });

  it('tries anew after rate_limited, as Retry-After says', async () => {
    await gateway.execute('srv__write');
    const limited = await once('k-3', 'srv__write');
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '1']);
    await kept(1);
    await until(async () => (await once('k-3', 'srv__write')).status === 200);
    expect(gateway.neighbours.calls).toHaveLength(2);
  });

  it('keeps a denial', async () => {
    const outcome = 'policy_denied';
    gateway.neighbours.decide = () => ({ kind: 'deny', ...decided, outcome, cause: 'forbidden' });
    const first = await once('k-4');
    await kept(1);
    gateway.neighbours.decide = () => ({ kind: 'allow', ...decided, grant: 'grant' });
    expect((await once('k-4')).body['call_id']).toEqual(first.body['call_id']);
    expect(gateway.neighbours.calls).toEqual([]);
  });

  it('keeps what may have run', async () => {
    gateway.neighbours.run = () => ({ kind: 'transport_failure', message: 'it broke' });
    const first = await once('k-5');
    expect([first.body['outcome'], first.body['effect']]).toEqual(['transport_failure', 'may_have_run']);
    await kept(1);
    expect((await once('k-5')).body['call_id']).toEqual(first.body['call_id']);
    expect(gateway.neighbours.calls).toHaveLength(1);
  });
});
