import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { productRoot } from '@uar/config';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { uarIn, type CommandEnd } from '../../command-line.fixture.js';

const shipped = join(productRoot, 'deploy/policies');
const slow = 60_000;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'uar-policy-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const uar = (argv: readonly string[], env: Record<string, string> = {}): Promise<CommandEnd> =>
  uarIn(folder, ['policy', ...argv], env);

const cases = `set: tenant:default
principals:
  uma: { tenant: default, subject: uma, roles: [user] }
tools:
  search: { tenant: default, server: docs, raw_name: search }
cases:
  - { case: 'uma searches', question: { ask: call, principal: uma, tool: search }, decision: allow }
`;

const agentCases = `set: tenant:default
principals:
  uma: { tenant: default, subject: uma, roles: [user] }
  guest: { tenant: default, subject: guest }
agents:
  helper: { tenant: default, owner: uma, class: assistant, max_risk: 2 }
tools:
  echo: { tenant: default, server: everything, raw_name: echo }
  sum: { tenant: default, server: everything, raw_name: sum, risk: 1 }
  search: { tenant: default, server: docs, raw_name: search }
cases:
  - { case: 'a', question: { ask: call, principal: uma, agent: helper, tool: echo }, decision: allow }
  - { case: 'b', question: { ask: call, principal: uma, agent: helper, tool: sum }, decision: require_approval }
  - { case: 'c', question: { ask: call, principal: uma, agent: helper, tool: search }, decision: deny }
  - { case: 'd', question: { ask: call, principal: guest, agent: helper, tool: echo }, decision: deny }
`;

const platformNote =
  'policies/cases: no rows of the platform; those of deploy/policies/cases/platform.yaml hold beside any set\n';

describe('a folder of policies', () => {
  beforeEach(() => {
    cpSync(shipped, join(folder, 'policies'), { recursive: true });
    rmSync(join(folder, 'policies/cases'), { recursive: true });
    mkdirSync(join(folder, 'policies/cases'));
    writeFileSync(join(folder, 'policies/cases/mine.yaml'), cases);
  });

  it(
    'is good, and its rows hold, wherever the configuration says it is',
    async () => {
      const env = { UAR_POLICIES_DIR: join(folder, 'policies') };
      expect(await uar(['check'], env)).toEqual({
        ...{ code: 0, err: '' },
        out: 'policies: good: platform, default (11)\n',
      });
      expect(await uar(['test'], env)).toEqual({
        code: 0,
        err: platformNote,
        out: 'policies/cases/mine.yaml: 1 row of tenant:default\n1 row, all hold\n',
      });
      const json = await uar(['test', 'policies', '--json']);
      expect(JSON.parse(json.out)).toMatchObject({ ok: true, rows: 1, failed: 0 });
    },
    slow,
  );

  it(
    'is told where it is wrong: in policies, and in rows that do not hold',
    async () => {
      writeFileSync(join(folder, 'policies/cases/mine.yaml'), cases.replace('allow', 'deny'));
      const tested = await uar(['test', 'policies']);
      expect(tested).toEqual({
        code: 1,
        err:
          'policies/cases/mine.yaml:7: uma searches\n    decision: expected deny, found allow\n' +
          platformNote,
        out: '1 row, 1 not holding\n',
      });
      writeFileSync(
        join(folder, 'policies/tenants/default/typo.cedar'),
        'permit (principal, action == UAR::Action::"callTool", resource)\nwhen { resource.riskTeir < 1 };\n',
      );
      const checked = await uar(['check', 'policies']);
      expect([checked.code, checked.out]).toEqual([1, '']);
      expect(checked.err).toMatch(
        /^policies\/tenants\/default\/typo\.cedar:2:\d+: error: .*riskTeir.*\(did you mean riskTier\?\)\n/,
      );
      const json = await uar(['check', 'policies', '--json']);
      expect([json.code, JSON.parse(json.out).ok]).toEqual([1, false]);
    },
    slow,
  );

  it(
    'is told what to do where rows of the shipped set do not hold for its own',
    async () => {
      writeFileSync(join(folder, 'policies/cases/starter.yaml'), cases.replace('tenant:default', 'starter'));
      rmSync(join(folder, 'policies/tenants/default/user-use.cedar'));
      const tested = await uar(['test', 'policies']);
      expect(tested.code).toBe(1);
      expect(tested.err).toContain(
        'policies/cases/starter.yaml: the rows of `set: starter` pin tenants/default as it ships',
      );
      expect(tested.err).toContain('`set: tenant:default`');
    },
    slow,
  );

  it(
    'is told that nothing was tried where there are no rows',
    async () => {
      rmSync(join(folder, 'policies/cases'), { recursive: true });
      expect(await uar(['test', 'policies'])).toEqual({
        code: 0,
        err: platformNote,
        out: '0 rows, nothing was tried\n',
      });
    },
    slow,
  );

  it(
    'is good with the example for agents in it, who may then do what their user may, on one server',
    async () => {
      const own = join(folder, 'policies/tenants/default');
      cpSync(join(shipped, 'examples/agents'), own, { recursive: true });
      writeFileSync(join(folder, 'policies/cases/mine.yaml'), agentCases);
      expect(await uar(['check', 'policies'])).toMatchObject({
        code: 0,
        out: 'policies: good: platform, default (14)\n',
      });
      expect(await uar(['test', 'policies'])).toEqual({
        code: 0,
        err: platformNote,
        out: 'policies/cases/mine.yaml: 4 rows of tenant:default\n4 rows, all hold\n',
      });
    },
    slow,
  );

  it(
    'keeps the rows of the platform, whatever set a tenant has',
    async () => {
      cpSync(join(shipped, 'cases/platform.yaml'), join(folder, 'policies/cases/platform.yaml'));
      rmSync(join(folder, 'policies/tenants/default'), { recursive: true });
      rmSync(join(folder, 'policies/cases/mine.yaml'));
      expect(await uar(['test', 'policies'])).toMatchObject({ code: 0, err: '' });
    },
    slow,
  );
});
