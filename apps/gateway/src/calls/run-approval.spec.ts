import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Gateway, until, type HttpAnswer } from '../http-spec/gateway.fixture.js';
import { oneHuman } from '../http-spec/neighbours.fixture.js';

describe('a vote on what a run waits for', () => {
  let gateway: Gateway;
  let runId: string;
  beforeEach(async () => {
    gateway = await Gateway.start();
    gateway.neighbours.decide = oneHuman;
    runId = await openRun();
  });
  afterEach(() => gateway.stop());

  const openRun = async (): Promise<string> =>
    String((await gateway.ask('POST', '/api/uar/runs', { body: {} })).body['run_id']);
  const vote = (body: object, run = runId): Promise<HttpAnswer> =>
    gateway.ask('POST', `/api/uar/runs/${run}/approval`, { body });
  /** Each with arguments of its own: a call that waits is joined by the next like it. */
  const calls: Promise<HttpAnswer>[] = [];
  const waitingIn = async (run: string): Promise<string> => {
    const before = new Set(gateway.neighbours.records.keys());
    calls.push(gateway.execute('srv__write', { run_id: run, arguments: { n: calls.length } }));
    const fresh = () => [...gateway.neighbours.records.keys()].find((id) => !before.has(id));
    await until(() => fresh() !== undefined);
    return fresh() ?? '';
  };

  it('answers 409 with the status where the named approval is settled', async () => {
    const approval_id = await waitingIn(runId);
    expect((await vote({ approved: false, approval_id })).status).toBe(200);
    const { status, body } = await vote({ approved: true, approval_id });
    expect(status).toBe(409);
    expect(body['error']).toMatchObject({ code: 'approval_not_pending', details: { status: 'rejected' } });
  });

  it('finds no approval of another run, and none that nobody asked for', async () => {
    const approval_id = await waitingIn(await openRun());
    expect((await vote({ approved: true, approval_id })).status).toBe(404);
    expect((await vote({ approved: true, approval_id: `appr_${'0'.repeat(32)}` })).status).toBe(404);
    expect((await vote({ approved: true })).status).toBe(404);
    expect(gateway.neighbours.records.get(approval_id)).toMatchObject({ status: 'pending', approvers: [] });
  });

  it('names all that the run waits for where none is named, wherever in the list they stand', async () => {
    gateway.neighbours.ledger.approvals.mostListed = 1;
    const other = await openRun();
    const ids = [await waitingIn(runId), await waitingIn(other), await waitingIn(runId)];
    const { status, body } = await vote({ approved: true });
    expect({ status, code: body['error']?.['code'] }).toEqual({ status: 409, code: 'approval_ambiguous' });
    expect(body['error']?.['details']).toEqual({ approval_ids: [ids[0], ids[2]] });
    expect((await vote({ approved: false, approval_id: ids[0] })).status).toBe(200);
    expect((await vote({ approved: false })).body['approval_id']).toBe(ids[2]);
  });

  it('decides a named one however many are pending before it', async () => {
    gateway.neighbours.ledger.approvals.mostListed = 1;
    const other = await openRun();
    for (let before = 0; before < 11; before += 1) await waitingIn(other);
    const approval_id = await waitingIn(runId);
    expect((await vote({ approved: false, approval_id })).body).toMatchObject({ status: 'rejected' });
  });

  it('takes nothing for the only one while it has not seen them all', async () => {
    gateway.neighbours.ledger.approvals.mostListed = 1;
    const approval_id = await waitingIn(runId);
    const other = await openRun();
    for (let more = 0; more < 11; more += 1) await waitingIn(other);
    const { status, body } = await vote({ approved: true });
    expect({ status, code: body['error']?.['code'] }).toEqual({ status: 409, code: 'approval_ambiguous' });
    expect(gateway.neighbours.records.get(approval_id)).toMatchObject({ status: 'pending', approvers: [] });
  });
});
