import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startStandIn, uarIn, type CommandEnd, type StandIn } from '../command-line.fixture.js';

let folder: string;
let gateway: StandIn;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'uar-call-'));
  gateway = await startStandIn();
});
afterEach(async () => {
  await gateway.close();
  rmSync(folder, { recursive: true, force: true });
});

const call = (...argv: string[]): Promise<CommandEnd> =>
  uarIn(folder, ['call', ...argv], { UAR_URL: gateway.url, UAR_TOKEN: 'a.b.c' });

const completed = {
  call_id: 'call_1',
  outcome: 'completed',
  success: true,
  result: { content: [{ type: 'text', text: 'hello\u001b[31m' }, { type: 'image' }] },
  error: null,
  approval: null,
};

const refused = (outcome: string, details?: unknown) => ({
  ...completed,
  ...{ outcome, success: false, result: null },
  error: { code: outcome, message: 'no', ...(details === undefined ? {} : { details }) },
});

describe('uar call', () => {
  it('sends arguments as they were typed and shows the result without terminal codes', async () => {
    gateway.answer = () => ({ status: 200, body: completed });
    const typed = '{ "id": 12345678901234567890, "e": 1e2 }';
    expect(await call('a__b', typed)).toEqual({
      code: 0,
      out: 'hello\\u001b[31m\n{"type":"image"}\n',
      err: '',
    });
    expect(gateway.requests).toEqual([
      {
        method: 'POST',
        url: '/api/tools/a__b/execute',
        body: `{"arguments":${typed}}`,
        authorization: 'Bearer a.b.c',
      },
    ]);
  });

  it('asks after a call that is still pending until it has ended', async () => {
    const places = ['/api/tools/a__b/execute', '/api/uar/calls/call_1', '/api/uar/calls/call_1'];
    gateway.answer = () =>
      gateway.requests.length < 3
        ? {
            status: 202,
            body: { ...completed, outcome: 'pending', success: false },
            location: places[1] ?? '',
          }
        : { status: 200, body: completed };
    expect((await call('a__b')).code).toBe(0);
    expect(gateway.requests.map((request) => request.url)).toEqual(places);
  });

  it('prints the outcome of a call that ended otherwise', async () => {
    const body = refused('upstream_error');
    gateway.answer = () => ({ status: 502, body });
    expect(await call('a__b')).toEqual({ code: 1, out: '', err: 'upstream_error: no (call_1)\n' });
    const json = await call('a__b', '--json');
    expect(JSON.parse(json.out)).toEqual(body);
  });

  it('names each place where arguments do not fit, and what was expected there', async () => {
    const errors = [
      { path: '', message: "must have required property 'a'" },
      { path: '/deep/0', message: 'must be string\u001b' },
    ];
    gateway.answer = () => ({ status: 400, body: refused('invalid_arguments', { errors }) });
    expect(await call('a__b')).toEqual({
      code: 1,
      out: '',
      err:
        'invalid_arguments: no (call_1)\n' +
        "  arguments: must have required property 'a'\n" +
        '  arguments/deep/0: must be string\\u001b\n',
    });
  });

  it('shows details of another form as they are', async () => {
    gateway.answer = () => ({ status: 500, body: refused('internal_fault', { fault_id: 'f1' }) });
    expect((await call('a__b')).err).toBe('internal_fault: no (call_1)\n  {"fault_id":"f1"}\n');
  });

  it.each(['policy_denied', 'capability_denied', 'run_denied'])(
    'says after %s which command explains it, with the same arguments',
    async (outcome) => {
      gateway.answer = () => ({ status: 403, body: refused(outcome) });
      const { err } = await call('a__b', `{"it's":1}`, '--run-id', 'run_1');
      expect(err).toBe(
        `${outcome}: no (call_1)\n` +
          `why, stage by stage: uar policy explain a__b '{"it'\\''s":1}' --run-id run_1\n`,
      );
      expect((await call('a__b')).err).toContain('uar policy explain a__b\n');
    },
  );
});
