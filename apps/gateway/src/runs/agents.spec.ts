import type { Caller, ToolFacts } from '@uar/contracts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Gateway, until, type Body, type HttpAnswer } from '../http-spec/gateway.fixture.js';
import { decided, oneHuman } from '../http-spec/neighbours.fixture.js';

const runs = '/api/uar/runs';

describe('agents', () => {
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
  const open = async (): Promise<string> =>
    String((await gateway.ask('POST', runs, { body: {} })).body['run_id']);
  const only = (...ids: string[]) => ({ tools: { mode: 'selected', ids } });
  const outcomeIn = async (run_id: string, tool: string, token = gateway.token()) =>
    (await gateway.ask('POST', `/api/tools/${tool}/execute`, { body: { run_id }, token })).body['outcome'];
  const effective = ({ body }: HttpAnswer): Body => body['effective'] ?? {};
  const putAgent = (id: string, changes: object = {}) =>
    gateway.ask('PUT', `/api/uar/agents/${id}`, {
      body: { title: 'Coder', description: '', owner: 'ada', scope: {}, ...changes },
    });

  it('have runs of their own, which their owner may open for them', async () => {
    expect((await putAgent('coder')).status).toBe(201);
    const asCoder = gateway.token('ada', ['admin'], 'coder');
    const own = await gateway.ask('POST', runs, { body: {}, token: asCoder });
    expect([own.status, own.body['agent_id']]).toEqual([201, 'coder']);
    expect((await gateway.ask('POST', runs, { body: { agent_id: 'coder' } })).status).toBe(201);
    for (const [agent_id, token] of [
      ['coder', gateway.token('uma', ['user'])],
      ['nobody', gateway.token()],
      ['other', asCoder],
    ] as const)
      expect((await gateway.ask('POST', runs, { body: { agent_id }, token })).status).toBe(403);
    const unknown = await gateway.ask('POST', runs, { body: { agent_id: 'nobody' } });
    expect(unknown.body['error']).toEqual({
      code: 'run_denied',
      message: expect.stringMatching(/nobody.*PUT \/api\/uar\/agents/),
      details: { agent_id: 'nobody' },
    });
    const users = await open();
    expect(await outcomeIn(users, 'srv__echo', asCoder)).toBe('run_denied');
    expect(await outcomeIn(String(own.body['run_id']), 'srv__echo')).toBe('completed');
  });

  it('must be allowed what is called in their runs, beside the user whose token calls', async () => {
    await putAgent('coder');
    const id = String((await gateway.ask('POST', runs, { body: { agent_id: 'coder' } })).body['run_id']);
    const mayNot = (tool: ToolFacts, { principal }: Caller) =>
      principal.agent_id === 'coder' && tool.raw_name === 'write';
    const asked: (readonly unknown[])[] = [];
    gateway.neighbours.discovers = (tool, caller) => !mayNot(tool, caller);
    gateway.neighbours.decide = ({ question: { caller, tool } }) => {
      asked.push([caller.principal.subject, caller.principal.agent_id, caller.channel]);
      return mayNot(tool, caller)
        ? { kind: 'deny', ...decided, outcome: 'policy_denied', cause: 'forbidden' }
        : { kind: 'allow', ...decided, grant: 'grant' };
    };
    gateway.neighbours.policiesChanged();
    expect(await outcomeIn(id, 'srv__echo')).toBe('completed');
    expect(await outcomeIn(id, 'srv__write')).toBe('policy_denied');
    expect(asked).toEqual([
      ['ada', 'coder', 'api'],
      ['ada', 'coder', 'api'],
    ]);
    expect(gateway.neighbours.receipts.at(-1)).toMatchObject({ agent: 'coder' });
    const listed = await gateway.ask('GET', `/api/tools?run_id=${id}`);
    expect(JSON.parse(listed.text).tools.map(({ name }: { name: string }) => name)).not.toContain(
      'srv__write',
    );
    expect(effective(await gateway.ask('GET', `${runs}/${id}`))['tools']).toEqual([
      'srv__echo',
      'srv__hidden',
    ]);
    expect(await outcomeIn(await open(), 'srv__write')).toBe('completed');
    expect(asked.at(-1)).toEqual(['ada', undefined, 'interactive']);
  });

  it('that are suspended end what waits in their runs, whoever called it', async () => {
    await putAgent('coder');
    const id = String((await gateway.ask('POST', runs, { body: { agent_id: 'coder' } })).body['run_id']);
    gateway.neighbours.decide = oneHuman;
    const waiting = outcomeIn(id, 'srv__write');
    await until(() => gateway.neighbours.records.size === 1);
    const suspended = { suspended: { users: [], agents: ['coder'] } };
    await gateway.ask('PUT', '/api/uar/settings/tenant', { body: suspended });
    expect(await waiting).toBe('policy_denied');
    expect([...gateway.neighbours.records.values()].map(({ status }) => status)).toEqual(['cancelled']);
  });

  it('that are stored as nobody can read them are not taken for absent', async () => {
    await putAgent('coder');
    gateway.neighbours.ledger.write({ tenant: 'default', namespace: 'agent', key: 'coder' }, { title: 7 });
    const read = () => gateway.ask('GET', '/api/uar/agents/coder');
    await until(async () => (await read()).status === 503);
    expect((await read()).body['error']).toMatchObject({
      code: 'unavailable',
      details: { agent_id: 'coder' },
    });
    expect((await gateway.ask('GET', '/api/uar/agents')).status).toBe(503);
    expect((await gateway.ask('POST', runs, { body: { agent_id: 'coder' } })).status).toBe(503);
    expect((await putAgent('coder')).status).toBe(200);
    expect((await read()).status).toBe(200);
  });

  it('narrow what is called through them, and end it with themselves', async () => {
    const token = gateway.token('ada', ['admin'], 'coder');
    const execute = (tool: string) => gateway.ask('POST', `/api/tools/${tool}/execute`, { token });
    expect((await execute('srv__echo')).body['outcome']).toBe('run_denied');
    expect((await execute('srv__nothing')).body['outcome']).toBe('run_denied');
    const put = await putAgent('coder', { scope: only('srv__echo', 'srv__gone'), capabilities: ['read'] });
    expect(put.body).toMatchObject({ id: 'coder', max_risk: 2, warnings: [{ key: 'scope.tools.ids' }] });
    const view = await gateway.ask('POST', runs, { body: {}, token });
    expect(effective(view)).toMatchObject({ tools: ['srv__echo'], capabilities: ['read'] });
    expect((await execute('srv__echo')).body['outcome']).toBe('completed');
    expect((await execute('srv__write')).body['outcome']).toBe('run_denied');
    gateway.neighbours.run = untilCancelled;
    const running = execute('srv__echo');
    await until(() => gateway.neighbours.calls.length === 2);
    expect((await gateway.ask('DELETE', '/api/uar/agents/coder')).body).toEqual({ deleted: true });
    expect((await running).body['outcome']).toBe('cancelled_after_dispatch');
    expect((await execute('srv__echo')).body['outcome']).toBe('run_denied');
    const gone = await gateway.ask('GET', `${runs}/${String(view.body['run_id'])}`);
    expect([gone.body['status'], effective(gone)['tools']]).toEqual(['active', []]);
  });

  it('are listed, replaced and removed, each with its receipt', async () => {
    await putAgent('b');
    expect((await putAgent('a', { class: 'builder' })).status).toBe(201);
    expect((await putAgent('a', { class: 'reader' })).status).toBe(200);
    const { body } = await gateway.ask('GET', '/api/uar/agents');
    expect(JSON.parse(JSON.stringify(body['agents'])).map(({ id }: { id: string }) => id)).toEqual([
      'a',
      'b',
    ]);
    expect((await gateway.ask('GET', '/api/uar/agents/a')).body).toEqual({
      ...{ id: 'a', title: 'Coder', description: '', owner: 'ada', class: 'reader', max_risk: 2, scope: {} },
    });
    expect((await putAgent('bad%20id')).status).toBe(400);
    expect((await putAgent('a', { max_risk: 5 })).status).toBe(400);
    expect((await gateway.ask('DELETE', '/api/uar/agents/b')).status).toBe(200);
    expect((await gateway.ask('DELETE', '/api/uar/agents/b')).status).toBe(404);
    expect((await gateway.ask('GET', '/api/uar/agents/b')).status).toBe(404);
    expect(gateway.neighbours.receipts.map(({ action }) => action)).toEqual([
      ...['agent.put b', 'agent.put a', 'agent.put a', 'agent.delete b'],
    ]);
  });
});
