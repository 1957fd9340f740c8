import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Gateway, until, type HttpAnswer } from '../http-spec/gateway.fixture.js';
import { oneHuman } from '../http-spec/neighbours.fixture.js';

const settings = '/api/uar/settings/tenant';

describe('a vote under the kill switch', () => {
  let gateway: Gateway;
  beforeEach(async () => {
    gateway = await Gateway.start();
    gateway.neighbours.decide = oneHuman;
  });
  afterEach(() => gateway.stop());

  const vote = (id: string, decision: 'approve' | 'reject'): Promise<HttpAnswer> =>
    gateway.ask('POST', `/api/uar/approvals/${id}/decision`, {
      body: { decision },
      token: gateway.token('bob'),
    });
  const turn = async (kill_switch: boolean): Promise<void> => {
    expect((await gateway.ask('PUT', settings, { body: { kill_switch } })).status).toBe(200);
  };
  const waiting = async (): Promise<{ call: Promise<HttpAnswer>; id: string }> => {
    const call = gateway.execute('srv__write');
    await until(() => gateway.neighbours.records.size === 1);
    const [id = ''] = gateway.neighbours.records.keys();
    return { call, id };
  };

  it('approves nothing and says why; the question stays, and is answered once the switch is off', async () => {
    const { call, id } = await waiting();
    await turn(true);
    await until(async () => (await vote(id, 'approve')).status === 409);
    expect((await vote(id, 'approve')).body['error']).toEqual({
      code: 'kill_switch_on',
      message: expect.stringContaining('kill_switch'),
    });
    expect((await vote('appr_0', 'approve')).status).toBe(404);
    expect(gateway.neighbours.records.get(id)).toMatchObject({ status: 'pending', approvers: [] });
    await turn(false);
    await until(async () => (await vote(id, 'approve')).status === 200);
    expect((await call).body['outcome']).toBe('completed');
  });

  it('still rejects', async () => {
    const { call, id } = await waiting();
    await turn(true);
    await until(async () => (await vote(id, 'approve')).status === 409);
    expect((await vote(id, 'reject')).status).toBe(200);
    expect((await call).body['outcome']).toBe('approval_rejected');
    expect(gateway.neighbours.calls).toEqual([]);
  });

  it('is not taken while nobody can say whether the switch is on', async () => {
    const { id } = await waiting();
    gateway.neighbours.ledger.write(
      { tenant: 'default', namespace: 'tenant', key: 'settings' },
      { set: { kill_switch: 'perhaps' }, file: {} },
    );
    await until(async () => (await vote(id, 'approve')).status === 503);
    expect(gateway.neighbours.records.get(id)).toMatchObject({ status: 'pending', approvers: [] });
    expect((await vote(id, 'reject')).status).toBe(200);
  });
});
