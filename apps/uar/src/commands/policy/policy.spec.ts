import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { uarIn, type CommandEnd } from '../../command-line.fixture.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'uar-policy-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const uar = (argv: readonly string[], env: Record<string, string> = {}): Promise<CommandEnd> =>
  uarIn(folder, ['policy', ...argv], env);

describe('uar policy', () => {
  it.each([
    [[], 2],
    [['--help'], 0],
    [['fly'], 2],
    [['check', 'absent'], 2],
    [['test', 'absent'], 2],
    [['check', '.'], 2],
    [['explain'], 2],
    [['explain', 'a__b', '[1]'], 2],
    [['explain', 'a__b', '--roles', 'user'], 2],
    [['explain', 'a__b', '--at', 'noon'], 2],
    [['explain', 'a__b'], 3],
    [['simulate', '.'], 2],
    [['simulate', 'absent', '--principal', 'a:b'], 2],
    [['simulate', '.', '--principal', ':b'], 2],
    [['replay'], 2],
    [['replay', '.'], 2],
  ])('ends %j with exit code %i', async (argv, code) => {
    const result = await uar(argv);
    expect([result.code, result.out + result.err !== '']).toEqual([code, true]);
  });
});

describe('a question about policies', () => {
  let server: Server;
  let env: Record<string, string>;
  let asked: { path: string; body: string }[];
  let answer: { status: number; body: unknown };

  beforeEach(async () => {
    asked = [];
    server = createServer((request, response) => {
      void textOf(request).then((body) => {
        asked.push({ path: request.url ?? '', body });
        response.writeHead(answer.status);
        response.end(JSON.stringify(answer.body));
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    env = { UAR_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, UAR_TOKEN: 'token' };
    writeFileSync(join(folder, 'no-clock.cedar'), 'forbid (principal, action, resource);');
  });
  afterEach(async () => {
    server.close();
    await once(server, 'close');
  });

  it('is explained with gates, hints and stages, and sends arguments as they were typed', async () => {
    const about = { action: 'callTool', principal: 'UAR::User::"default/uma"' };
    answer = {
      status: 200,
      body: {
        ...{ decision: 'deny', outcome: 'policy_denied', cause: 'not_permitted', governance: 'on' },
        ...{ policy_version: 'v1', determining: [], gates: [], facts: null },
        stages: [
          { stage: 'who', result: 'passed' },
          { stage: 'callTool', result: 'refused', cause: 'not_permitted', determining: [] },
        ],
        hints: [
          {
            ...{ kind: 'permit', ...about, policy: 't/a', reason: 'why' },
            fails: [{ part: 'when', text: 'resource.readOnly', found: 'false' }],
          },
          { kind: 'no_permit', ...about },
        ],
      },
    };
    const flags = ['--sub', 'uma', '--roles', 'user,x', '--agent', 'coder', '--at', '2026-01-01'];
    const found = await uar(['explain', 'a__b', '{"n": 12345678901234567890}', ...flags], env);
    expect(found.out.split('\n')).toEqual([
      'deny: policy_denied (not_permitted), policies v1',
      't/a would permit callTool (why), but for: when resource.readOnly (false)',
      'no policy permits callTool to UAR::User::"default/uma"',
      '',
      'STAGE     RESULT   WHY',
      'who       passed',
      'callTool  refused  not_permitted',
      '',
    ]);
    expect(found.code).toBe(0);
    expect(asked).toEqual([
      {
        path: '/api/uar/governance/explain',
        body:
          '{"tool":"a__b","principal":{"sub":"uma","roles":["user","x"],"agent_id":"coder"},' +
          '"at":"2026-01-01T00:00:00.000Z","arguments":{"n": 12345678901234567890}}',
      },
    ]);
  });

  it('is explained without a cause where there is none', async () => {
    answer = {
      status: 200,
      body: {
        ...{ decision: 'deny', outcome: 'invalid_arguments', governance: 'on', policy_version: 'v1' },
        ...{ determining: [], gates: [], facts: null, stages: [], hints: [] },
      },
    };
    expect((await uar(['explain', 'a__b'], env)).out).toMatch(/^deny: invalid_arguments, policies v1\n/);
  });

  it('is simulated for principals and tools, with what would change', async () => {
    const cell = { principal: 0, sub: 'uma', active: { decision: 'allow', policies: ['t/a'] } };
    const denied = {
      decision: 'deny',
      outcome: 'policy_denied',
      cause: 'forbidden',
      policies: ['t/no-clock'],
    };
    answer = {
      status: 200,
      body: {
        ...{ version: 'v2', active_version: 'v1', warnings: [{ message: 'there is no tool x' }] },
        matrix: [
          { ...cell, tool: 'a__b', candidate: denied },
          { ...cell, tool: 'a__c', candidate: cell.active },
        ],
        differences: [
          {
            ...{ principal: 0, sub: 'uma', tool: 'a__b', was: 'allow', would_be: 'deny' },
            policies: ['t/no-clock'],
          },
        ],
      },
    };
    const found = await uar(['simulate', '.', '--principal', 'uma:user, x', '--tool', 'a__b'], env);
    expect(found).toEqual({
      code: 0,
      out:
        'PRINCIPAL  TOOL  NOW    WOULD BE       POLICIES\n' +
        'uma        a__b  allow  policy_denied  t/no-clock\n' +
        'uma        a__c  allow\n1 of 2 cells would change\n',
      err: 'warning: there is no tool x\n',
    });
    expect(JSON.parse(asked[0]?.body ?? '')).toEqual({
      policies: { 't/no-clock': 'forbid (principal, action, resource);' },
      principals: [{ sub: 'uma', roles: ['user', 'x'] }],
      tools: ['a__b'],
    });
  });

  it('is replayed over what was decided', async () => {
    answer = {
      status: 200,
      body: {
        ...{ version: 'v2', replayed: 7, undecided: [], complete: true },
        changed: [
          {
            ...{ call_id: `call_${'1'.repeat(32)}`, was: 'allow', would_be: 'deny', stage: 'call' },
            ...{ would_be_outcome: 'policy_denied', policies: ['t/no-clock'] },
          },
        ],
      },
    };
    const found = await uar(['replay', 'no-clock.cedar', '--since', '2026-01-01', '--limit', '9'], env);
    expect(found.out).toContain('7 decisions replayed, 1 would change\n');
    expect(found.out).toMatch(/call_1+ {2}allow {2}policy_denied {2}t\/no-clock/);
    expect(JSON.parse(asked[0]?.body ?? '')).toMatchObject({ since: '2026-01-01T00:00:00.000Z', limit: 9 });
  });

  it('fails with the places where a candidate is wrong', async () => {
    const errors = [{ policy_id: 't/no-clock', message: 'unexpected\u001b end', line: 1, column: 3 }];
    answer = {
      status: 422,
      body: { error: { code: 'x', message: 'Not taken.', details: { errors, warnings: [] } } },
    };
    for (const argv of [
      ['simulate', '.', '--principal', 'a'],
      ['replay', '.'],
    ])
      expect(await uar(argv, env)).toEqual({
        ...{ code: 1, out: '' },
        err: 't/no-clock:1:3: unexpected\\u001b end\nNot taken.\n',
      });
    answer = { status: 403, body: { error: { code: 'policy_denied', message: 'No.' } } };
    expect(await uar(['explain', 'a__b'], env)).toMatchObject({ code: 1, err: 'policy_denied: No.\n' });
  });
});
