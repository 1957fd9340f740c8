import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decided } from '../http-spec/neighbours.fixture.js';
import { Gateway, until } from '../http-spec/gateway.fixture.js';

describe('POST /api/tools/{name}/execute', () => {
  let gateway: Gateway;
  beforeEach(async () => {
    gateway = await Gateway.start();
  });
  afterEach(() => gateway.stop());

  it('answers a completed call with its result, decision and receipt', async () => {
    const { status, body } = await gateway.execute('srv__echo', { arguments: { text: 'hi' } });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      tool: 'srv__echo',
      outcome: 'completed',
      effect: 'ran',
      success: true,
      result: { content: [{ type: 'text', text: '{"text":"hi"}' }] },
      error: null,
      decision: { kind: 'allow', policy_version: 'v1', explanation: { determining: ['p/one'] } },
      approval: null,
      receipt: { seq: 1 },
    });
    expect(gateway.neighbours.receipts).toMatchObject([
      { kind: 'outcome', outcome: 'completed', effect: 'ran', principal: 'User::"default/ada"' },
    ]);
  });

  it('passes argument text on with its numbers, and results as they are', async () => {
    gateway.neighbours.run = () => ({
      kind: 'ran',
      result_json: '{"content":[],"structuredContent":{"big":123456789012345678901234567890,"z":1.0,"a":2}}',
      is_error: false,
    });
    const raw = '{ "arguments": { "n": 9007199254740993.10,  "text": "a \\u00e9 b" } }';
    const { text } = await gateway.ask('POST', '/api/tools/srv__echo/execute', { raw });
    expect(gateway.neighbours.calls[0]?.arguments_json).toBe(
      '{"n":9007199254740993.10,"text":"a \\u00e9 b"}',
    );
    expect(text).toContain('{"big":123456789012345678901234567890,"z":1.0,"a":2}');
  });

  it('writes the intent before a tool that writes runs', async () => {
    gateway.neighbours.run = () => {
      expect(gateway.neighbours.receipts).toMatchObject([{ kind: 'intent' }]);
      return { kind: 'ran', result_json: '{"content":[]}', is_error: true };
    };
    const { status, body } = await gateway.execute('srv__write');
    expect([status, body['outcome'], body['success']]).toEqual([200, 'tool_error', false]);
  });

  it('says the same of a hidden tool as of one that does not exist', async () => {
    gateway.neighbours.discovers = ({ labels }) => !labels.includes('secret');
    const forget = (body: object) => ({ ...body, call_id: '', tool: '', duration_ms: 0 });
    const hidden = await gateway.execute('srv__hidden', { arguments: { wrong: true } });
    const unknown = await gateway.execute('srv__no_such_tool');
    expect(hidden.status).toBe(404);
    expect(forget(hidden.body)).toEqual(forget(unknown.body));
    expect(hidden.body).toMatchObject({
      outcome: 'unknown_tool',
      decision: null,
      approval: null,
      receipt: null,
    });
    await until(() => gateway.neighbours.receipts.length === 2);
    const causes = gateway.neighbours.receipts.map(({ cause }) => cause);
    expect(causes).toEqual(['not_discoverable', 'no_such_name']);
  });

  it('refuses arguments that do not fit before any decision', async () => {
    gateway.neighbours.decide = () => {
      throw new Error('not to be asked');
    };
    const { status, body } = await gateway.execute('srv__echo', { arguments: { text: 5 } });
    expect(status).toBe(400);
    expect(body['error']).toEqual({
      code: 'invalid_arguments',
      message: 'The arguments do not fit the input schema of the tool.',
      details: { errors: [{ path: '/text', message: 'must be string' }] },
    });
  });

  it.each([
    ['quarantined', 403],
    ['capability_denied', 403],
    ['policy_denied', 403],
    ['unknown_tool', 404],
  ] as const)('ends as %s when the PDP says so, and nothing runs', async (outcome, status) => {
    gateway.neighbours.decide = () => ({ kind: 'deny', ...decided, outcome, cause: 'because' });
    const answer = await gateway.execute('srv__echo');
    expect([answer.status, answer.body['outcome']]).toEqual([status, outcome]);
    expect(answer.body['effect']).toBe('did_not_run');
    expect(gateway.neighbours.calls).toEqual([]);
  });

  it('denies a run that is not the caller’s', async () => {
    const { status, body } = await gateway.execute('srv__echo', { run_id: `run_${'a'.repeat(32)}` });
    expect([status, body['outcome']]).toEqual([403, 'run_denied']);
  });

  it('takes the run that the caller’s own calls belong to', async () => {
    const { body } = await gateway.execute('srv__echo');
    const again = await gateway.execute('srv__echo', { run_id: body['run_id'] });
    expect(again.status).toBe(200);
  });

  it('is unavailable without a PDP, without a ledger for the intent, without a host', async () => {
    await gateway.neighbours.stopLedger();
    expect((await gateway.execute('srv__write')).body).toMatchObject({
      outcome: 'unavailable',
      effect: 'did_not_run',
    });
    await gateway.neighbours.stopHost();
    expect((await gateway.execute('srv__echo')).body).toMatchObject({ outcome: 'unavailable' });
    await gateway.neighbours.stopPdp();
    const { status, body } = await gateway.execute('srv__echo');
    expect([status, body['outcome']]).toEqual([503, 'unavailable']);
    expect(gateway.neighbours.calls).toEqual([]);
  });

  it('answers 202 at once on respond-async, and the call can be read until and after its end', async () => {
    let finish = (): void => undefined;
    gateway.neighbours.run = () =>
      new Promise((resolve) => {
        finish = () => resolve({ kind: 'ran', result_json: '{"content":[1e400]}', is_error: false });
      });
    const accepted = await gateway.execute('srv__echo', {}, { prefer: 'respond-async' });
    expect(accepted.status).toBe(202);
    expect(accepted.headers.get('preference-applied')).toBe('respond-async');
    expect(accepted.body).toMatchObject({
      outcome: 'pending',
      effect: null,
      result: null,
      error: null,
      success: false,
    });
    const location = accepted.headers.get('location') ?? '';
    expect(location).toBe(`/api/uar/calls/${String(accepted.body['call_id'])}`);
    expect((await gateway.ask('GET', location)).status).toBe(202);
    expect((await gateway.ask('GET', location, { token: gateway.token('bob') })).status).toBe(202);
    gateway.neighbours.may = () => false;
    expect((await gateway.ask('GET', location, { token: gateway.token('bob') })).status).toBe(404);
    await until(() => gateway.neighbours.calls.length === 1);
    finish();
    await until(async () => (await gateway.ask('GET', location)).status === 200);
    const ended = await gateway.ask('GET', location);
    expect(ended.text).toContain('"result":{"content":[1e400]}');
    expect(ended.body['outcome']).toBe('completed');
  });

  it('keeps the status of refusals on respond-async', async () => {
    const { status, headers } = await gateway.execute('srv__no_such', {}, { prefer: 'respond-async' });
    expect([status, headers.get('location')]).toEqual([404, null]);
  });

  it('forgets results of plain calls but says how they ended', async () => {
    const { body } = await gateway.execute('srv__echo');
    const again = await gateway.ask('GET', `/api/uar/calls/${String(body['call_id'])}`);
    expect(again.status).toBe(200);
    expect(again.body).toMatchObject({
      outcome: 'completed',
      result: null,
      error: { code: 'result_not_kept' },
    });
    expect((await gateway.ask('GET', `/api/uar/calls/call_${'0'.repeat(32)}`)).status).toBe(404);
  });

  it('cancels a dispatched call at its host', async () => {
    gateway.neighbours.run = (call) =>
      until(() => gateway.neighbours.cancelled.includes(call.call_id)).then(() => ({
        kind: 'cancelled',
        dispatched: true,
      }));
    const accepted = await gateway.execute('srv__echo', {}, { prefer: 'respond-async' });
    const path = `/api/uar/calls/${String(accepted.body['call_id'])}/cancel`;
    expect((await gateway.ask('POST', path, { token: gateway.token('bob') })).status).toBe(404);
    await until(() => gateway.neighbours.calls.length === 1);
    const { status, body } = await gateway.ask('POST', path);
    expect([status, body['outcome'], body['effect']]).toEqual([
      200,
      'cancelled_after_dispatch',
      'may_have_run',
    ]);
  });
});
