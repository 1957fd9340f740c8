import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { entry } from '../domain/call-spec/entry.fixture.js';
import { oneHuman } from '../http-spec/neighbours.fixture.js';
import { Gateway, until } from '../http-spec/gateway.fixture.js';

describe('a call that waits for a human', () => {
  let gateway: Gateway;
  beforeEach(async () => {
    gateway = await Gateway.start();
  });
  afterEach(() => gateway.stop());

  it('asks a human, runs once after the vote, and joins an impatient retry', async () => {
    gateway.neighbours.decide = oneHuman;
    const first = gateway.execute('srv__write', { arguments: { a: 1 } });
    await until(() => gateway.neighbours.records.size === 1);
    const retry = gateway.execute('srv__write', { arguments: { a: 1 } }, { prefer: 'respond-async' });
    const joined = await retry;
    const [approvalId] = gateway.neighbours.records.keys();
    expect(joined.body).toMatchObject({
      outcome: 'pending',
      approval: { approval_id: approvalId, status: 'pending' },
    });
    const vote = await gateway.ask('POST', `/api/uar/approvals/${approvalId}/decision`, {
      body: { decision: 'approve' },
      token: gateway.token('bob'),
    });
    expect(vote.status).toBe(200);
    const { status, body } = await first;
    expect([status, body['outcome']]).toEqual([200, 'completed']);
    expect(body).toMatchObject({ call_id: joined.body['call_id'], approval: { status: 'consumed' } });
    expect(gateway.neighbours.records.size).toBe(1);
    expect(gateway.neighbours.calls.length).toBe(1);
    await until(() => gateway.neighbours.receipts.length === 2);
    expect(gateway.neighbours.receipts.map(({ kind }) => kind)).toEqual(['intent', 'outcome']);
    const late = await gateway.ask('POST', `/api/uar/approvals/${approvalId}/decision`, {
      body: { decision: 'reject' },
    });
    expect(late.status).toBe(409);
    expect(late.body['error']).toMatchObject({
      code: 'approval_not_pending',
      details: { status: 'consumed' },
    });
  });

  it('closes the approval when the client goes away', async () => {
    gateway.neighbours.decide = oneHuman;
    const client = new AbortController();
    const gone = gateway
      .ask('POST', '/api/tools/srv__write/execute', { body: {}, signal: client.signal })
      .catch(() => 'gone');
    await until(() => gateway.neighbours.records.size === 1);
    client.abort();
    expect(await gone).toBe('gone');
    await until(() => [...gateway.neighbours.records.values()][0]?.status === 'channel_closed');
    await until(() => gateway.neighbours.outcomes.length === 1);
    expect(gateway.neighbours.outcomes).toEqual(['channel_closed']);
  });

  it('ends the wait for a human at the deadline', async () => {
    gateway.neighbours.decide = oneHuman;
    const { status, body } = await gateway.execute('srv__write', { deadline_ms: 60 });
    expect([status, body['outcome']]).toEqual([409, 'approval_timeout']);
    expect([...gateway.neighbours.records.values()][0]?.status).toBe('expired');
  });

  it('does not run an approved call whose definition changed meanwhile', async () => {
    gateway.neighbours.decide = oneHuman;
    const waiting = gateway.execute('srv__write');
    await until(() => gateway.neighbours.records.size === 1);
    gateway.neighbours.catalogChanged([
      entry('write', { capabilities: ['write'] }, { type: 'object', title: 'new' }),
    ]);
    const [approvalId = ''] = gateway.neighbours.records.keys();
    gateway.neighbours.ledger.approvals.settle(approvalId, 'approved');
    expect((await waiting).body).toMatchObject({ outcome: 'quarantined', effect: 'did_not_run' });
    expect(gateway.neighbours.calls).toEqual([]);
  });
});
