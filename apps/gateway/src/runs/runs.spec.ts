import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Gateway, until, type Body, type HttpAnswer } from '../http-spec/gateway.fixture.js';
import { oneHuman } from '../http-spec/neighbours.fixture.js';

const runs = '/api/uar/runs';
const policy = '/api/uar/settings/run-policy';

const wide = Array.from({ length: 2_000 }, (_, n) => `${n}`.padStart(100, 'x'));

describe('runs', () => {
  let gateway: Gateway;
  beforeEach(async () => {
    gateway = await Gateway.start();
  });
  afterEach(() => gateway.stop());

  const open = async (body: object = {}, token?: string): Promise<string> => {
    const { status, body: view } = await gateway.ask('POST', runs, { body, ...(token && { token }) });
    expect(status).toBe(201);
    return String(view['run_id']);
  };
  const only = (...ids: string[]) => ({ tools: { mode: 'selected', ids } });
  const outcomeIn = async (run_id: string, tool: string, token?: string) =>
    (
      await gateway.ask('POST', `/api/tools/${tool}/execute`, {
        body: { run_id },
        ...(token && { token }),
      })
    ).body['outcome'];
  const effective = ({ body }: HttpAnswer): Body => body['effective'] ?? {};
  const putPolicy = (scope: object) => gateway.ask('PUT', policy, { body: scope });

  it('show what they leave, call that alone, and warn of what they name in vain', async () => {
    const opened = await gateway.ask('POST', runs, {
      body: { conversation_id: 'c1', scopes: { turn: only('srv__echo', 'srv__gone') } },
    });
    const id = String(opened.body['run_id']);
    expect(opened.body).toEqual({
      run_id: id,
      status: 'active',
      conversation_id: 'c1',
      effective: {
        tools: ['srv__echo'],
        mcp_servers: ['srv'],
        tool_approval: 'auto',
        capabilities: ['read', 'write', 'execute', 'network', 'memory'],
      },
      warnings: [
        { code: 'unknown_id', key: 'turn.tools.ids', message: expect.stringContaining('srv__gone') },
      ],
      events_url: `${runs}/${id}/events`,
    });
    expect((await gateway.ask('GET', `${runs}/${id}`)).body).toEqual(opened.body);
    const listed = await gateway.ask('GET', `/api/tools?run_id=${id}`);
    expect(JSON.parse(listed.text).tools.map(({ name }: { name: string }) => name)).toEqual(['srv__echo']);
    gateway.neighbours.discovers = ({ labels }) => !labels.includes('secret');
    gateway.neighbours.policiesChanged();
    expect(await outcomeIn(id, 'srv__echo')).toBe('completed');
    expect(await outcomeIn(id, 'srv__write')).toBe('run_denied');
    expect(await outcomeIn(id, 'srv__hidden')).toBe('unknown_tool');
    expect(await outcomeIn(id, 'srv__nothing')).toBe('unknown_tool');
    expect(gateway.neighbours.receipts.at(1)).toMatchObject({ outcome: 'run_denied', cause: 'not_in_run' });
  });

  it('name themselves in the answer alike for a tool that is hidden and for one that does not exist', async () => {
    gateway.neighbours.discovers = ({ labels }) => !labels.includes('secret');
    const id = await open({});
    const answers = await Promise.all(
      ['srv__hidden', 'srv__nothing'].map((tool) => gateway.execute(tool, { run_id: id })),
    );
    expect(answers.map(({ body }) => [body['outcome'], body['run_id']])).toEqual([
      ['unknown_tool', id],
      ['unknown_tool', id],
    ]);
  });

  it('are found by their owner, its other tokens and holders of readCalls only', async () => {
    gateway.neighbours.may = (question, { principal }) =>
      question.kind !== 'admin' || principal.roles.includes('admin');
    const uma = gateway.token('uma', ['user']);
    const id = await open({}, uma);
    const otto = gateway.token('otto', ['user']);
    for (const [method, path] of [
      ['GET', `${runs}/${id}`],
      ['POST', `${runs}/${id}/cancel`],
      ['GET', `${runs}/run_${'0'.repeat(32)}`],
      ['GET', `${runs}/nonsense`],
    ] as const)
      expect((await gateway.ask(method, path, { token: otto })).status).toBe(404);
    expect(await outcomeIn(id, 'srv__echo', otto)).toBe('run_denied');
    expect(
      (await gateway.ask('GET', `/api/tools?run_id=${id}`, { token: otto })).body['error'],
    ).toMatchObject({
      code: 'run_denied',
    });
    expect((await gateway.ask('GET', `${runs}/${id}`, { token: uma })).status).toBe(200);
    expect((await gateway.ask('GET', `${runs}/${id}`)).body['status']).toBe('active');
    expect(gateway.neighbours.receipts.filter(({ kind }) => kind === 'admin')).toEqual([]);
    expect((await gateway.ask('POST', `${runs}/${id}/cancel`)).body['status']).toBe('cancelled');
    expect(gateway.neighbours.receipts.at(-1)).toMatchObject({
      kind: 'admin',
      principal: 'User::"default/ada"',
      action: `run.cancel ${id} of User::"default/uma"`,
    });
  });

  it('show the implicit run of a principal, which nobody can cancel', async () => {
    const { body } = await gateway.execute('srv__echo');
    const { status, body: view } = await gateway.ask('GET', `${runs}/${String(body['run_id'])}`);
    expect([status, view['status'], view['effective']?.['mcp_servers']]).toEqual([200, 'active', ['srv']]);
    expect((await gateway.ask('POST', `${runs}/${String(body['run_id'])}/cancel`)).status).toBe(404);
  });

  it('are narrowed and never widened', async () => {
    const id = await open({
      scopes: { turn: { ...only('srv__echo', 'srv__write'), capabilities: ['read'] } },
    });
    const patch = (turn: object) => gateway.ask('PATCH', `${runs}/${id}`, { body: { scopes: { turn } } });
    for (const [turn, member] of [
      [only('srv__echo', 'srv__hidden'), 'tools'],
      [{ tools: { mode: 'all' } }, 'tools'],
      [{ capabilities: ['read', 'write'] }, 'capabilities'],
    ] as const) {
      const { status, body } = await patch(turn);
      expect([status, body['error']?.['code'], body['error']?.['details']]).toEqual([
        422,
        'run_widened',
        { member },
      ]);
    }
    expect(effective(await patch(only('srv__echo')))['tools']).toEqual(['srv__echo']);
    expect(effective(await patch({ tool_approval: 'ask' }))).toMatchObject({
      ...{ tools: ['srv__echo'], tool_approval: 'ask', capabilities: ['read'] },
    });
    expect((await patch({ tool_approval: 'auto' })).body['error']?.['details']).toEqual({
      member: 'tool_approval',
    });
    const dead = await patch({ tool_approval: 'deny' });
    expect(effective(dead)).toMatchObject({ tools: [], mcp_servers: [], tool_approval: 'deny' });
    expect(dead.body['warnings']).toMatchObject([{ code: 'nothing_can_run' }]);
    expect(await outcomeIn(id, 'srv__echo')).toBe('run_denied');
  });

  it('that have ended serve nothing and change no more', async () => {
    const short = await open({ ttl_seconds: 1 });
    const cancelled = await open();
    await gateway.ask('POST', `${runs}/${cancelled}/cancel`);
    const again = await gateway.ask('POST', `${runs}/${cancelled}/cancel`);
    expect([again.status, again.body['status'], effective(again)['tools']]).toEqual([200, 'cancelled', []]);
    await until(
      async () => String((await gateway.ask('GET', `${runs}/${short}`)).body['status']) === 'expired',
    );
    for (const id of [short, cancelled]) {
      expect(await outcomeIn(id, 'srv__echo')).toBe('run_denied');
      const patched = await gateway.ask('PATCH', `${runs}/${id}`, { body: { scopes: {} } });
      expect([patched.status, patched.body['error']?.['code']]).toEqual([409, 'run_not_active']);
    }
  });

  it.each([
    ['no body', undefined],
    ['an unknown member', { scope: {} }],
    ['a mode nobody knows', { scopes: { turn: { tools: { mode: 'some' } } } }],
    ['a life of 31 days', { ttl_seconds: 31 * 86_400 }],
    ['no life', { ttl_seconds: 0 }],
    ['a scope of 200 KB', { scopes: { turn: { tools: { mode: 'all', denied_ids: wide } } } }],
  ])('are refused with %s', async (_what, body) => {
    expect((await gateway.ask('POST', runs, { body })).status).toBe(400);
  });

  it('take their limits to the PDP', async () => {
    const seen: unknown[] = [];
    gateway.neighbours.decide = ({ question }) => {
      seen.push(question.caller.run_limits);
      return oneHuman({ question });
    };
    const id = await open({ scopes: { turn: { tool_approval: 'ask', capabilities: ['read'] } } });
    void outcomeIn(id, 'srv__echo');
    await until(() => seen.length === 1);
    expect(seen).toEqual([{ tool_approval: 'ask', capabilities: ['read'] }]);
    await gateway.ask('POST', `${runs}/${id}/cancel`);
  });

  it('stand in the global scope as soon as it is written, and a waiting call that it leaves out ends', async () => {
    gateway.neighbours.decide = oneHuman;
    const other = await gateway.replica();
    const id = await open();
    const waiting = outcomeIn(id, 'srv__write');
    await until(() => gateway.neighbours.records.size === 1);
    expect((await gateway.ask('GET', policy)).body).toEqual({});
    expect((await putPolicy({ tools: { mode: 'all', denied_ids: ['srv__write'] } })).status).toBe(200);
    expect(await waiting).toBe('run_denied');
    expect((await gateway.execute('srv__write')).body['outcome']).toBe('run_denied');
    expect(effective(await gateway.ask('GET', `${runs}/${id}`))['tools']).toEqual([
      'srv__echo',
      'srv__hidden',
    ]);
    expect((await gateway.ask('GET', '/api/tools/srv__write')).status).toBe(404);
    expect(gateway.neighbours.receipts.find(({ kind }) => kind === 'admin')).toMatchObject({
      action: 'settings.put run-policy',
    });
    await until(async () => String((await other.execute('srv__write')).body['outcome']) === 'run_denied');
    expect((await other.ask('GET', policy)).body).toEqual({
      tools: { mode: 'all', denied_ids: ['srv__write'] },
    });
    await other.running.stop();
  });

  it('deny everything while the global scope cannot be read', async () => {
    const place = { tenant: 'default', namespace: 'run-policy', key: 'scope' };
    gateway.neighbours.ledger.write(place, { tools: 'what' });
    await until(async () => String((await gateway.execute('srv__echo')).body['outcome']) === 'run_denied');
    expect(gateway.neighbours.receipts.at(-1)).toMatchObject({ cause: 'run_policy_unreadable' });
    expect((await gateway.ask('GET', policy)).status).toBe(503);
  });

  it('are unavailable while the ledger is away, and so is what it would have to write', async () => {
    const id = await open();
    await gateway.neighbours.stopLedger();
    expect((await gateway.ask('GET', `${runs}/${id}`)).status).toBe(503);
    expect((await gateway.ask('POST', runs, { body: {} })).status).toBe(503);
    expect((await gateway.ask('POST', `${runs}/${id}/cancel`)).status).toBe(503);
    expect((await putPolicy({})).status).toBe(503);
    const agent = { title: 'Coder', description: '', owner: 'ada', scope: {} };
    expect((await gateway.ask('PUT', '/api/uar/agents/coder', { body: agent })).status).toBe(503);
  });
});
