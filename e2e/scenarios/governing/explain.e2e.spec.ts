import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryDir } from '@uar/testkit';
import { beforeAll, expect } from 'vitest';
import { clientOf, eventually, toolListed, type Answer, type Body, type Client } from '../../client.js';
import { runCli } from '../../cli.js';
import { called, people, policies, rounds, servers, specOf, toolNames } from '../../explain-world.js';
import { keeps } from '../../keeps.js';
import { onBothBuses } from '../../on-both-buses.js';

const governance = '/api/uar/governance';
const word = (verdict: Body | undefined): string => String(verdict?.['outcome'] ?? verdict?.['decision']);

onBothBuses(
  'explain and simulate',
  () => ({
    config: {
      mcp: { servers },
      approvals: { max_pending: 1_000, max_new_per_minute: 10_000 },
    },
  }),
  (product) => {
    const simulate = (client: Client, body: object): Promise<Answer> =>
      client.request(`${governance}/simulate`, { body });
    const explain = (client: Client, body: object): Promise<Answer> =>
      client.request(`${governance}/explain`, { body });

    beforeAll(async () => {
      const client = clientOf(product());
      const folder = join(product().policiesDir, 'tenants/default');
      for (const [name, text] of Object.entries(policies))
        writeFileSync(join(folder, `${name}.cedar`), `${text}\n`);
      for (const server of Object.keys(servers)) await toolListed(client, `${server}__raw`);
      const body = { title: 'Coder', description: 'codes', owner: 'p0', max_risk: 2, scope: {} };
      await client.request('/api/uar/agents/coder', { method: 'PUT', body });
      await eventually(async () => {
        const bad = { tool: 'calm__raw', arguments: { id: 'bad' } };
        return word((await explain(client, bad)).body) === 'policy_denied' ? true : undefined;
      });
    }, 120_000);

    keeps(
      ['policy.simulate'],
      'simulate decides 500 random calls as live calls are decided',
      async () => {
        const found: string[] = [];
        const differences: string[] = [];
        for (const round of rounds) {
          const given = Object.fromEntries(toolNames.map((name, index) => [name, round[index] ?? {}]));
          const { body, status } = await simulate(clientOf(product()), {
            principals: people.map(specOf),
            ...{ tools: toolNames, arguments: given },
          });
          expect(status).toBe(200);
          for (const cell of body['matrix'] as unknown as Body[]) {
            const [tool, person] = [String(cell['tool']), people[Number(cell['principal'])]];
            if (person === undefined) throw new Error('no such principal');
            const expected = word(cell['active']);
            const live = await called(clientOf(product(), person), tool, given[tool] ?? {}, expected);
            found.push(live);
            if (live !== expected)
              differences.push(`${JSON.stringify([person, tool, given[tool]])}: ${expected}, live ${live}`);
          }
        }
        expect(differences).toEqual([]);
        expect(found.length).toBeGreaterThanOrEqual(500);
        expect([...new Set(found)].toSorted()).toEqual([
          ...['allow', 'policy_denied', 'require_approval', 'run_denied', 'unknown_tool'],
        ]);
      },
      180_000,
    );

    keeps(
      ['policy.explain'],
      'explain decides as a live call, says why at every stage, and leaves no trace',
      async () => {
        const client = clientOf(product());
        const receipts = async () => (await client.get('/api/uar/receipts/verify')).body['length'];
        const before = await receipts();
        const denied = await explain(client, {
          principal: { sub: 'uma', roles: ['user'] },
          ...{ tool: 'calm__count', arguments: { id: 'bad news' } },
        });
        expect(denied.body).toMatchObject({
          ...{ decision: 'deny', outcome: 'policy_denied', cause: 'forbidden', governance: 'on' },
          determining: [{ policy: 't/no-bad-ids', reason: 'ids that start with bad are taken back' }],
          hints: [{ kind: 'forbid', policy: 't/no-bad-ids', held: [{}, {}, { found: 'true' }] }],
          facts: { arguments: { pointers: { '/id': 'string' }, lossless: true } },
        });
        expect(denied.text).not.toContain('bad news');
        const stages = denied.body['stages'] as unknown as Record<string, string>[];
        expect(stages.map(({ stage, result }) => `${stage} ${result}`)).toEqual([
          ...['who passed', 'name passed', 'run passed', 'shape passed', 'quarantine passed'],
          ...['discoverTool passed', 'capability passed', 'callTool refused', 'callToolUnattended refused'],
          'approval not_asked',
        ]);
        const asked = await explain(client, { tool: 'calm__count', arguments: { wait_ms: 5 } });
        expect(asked.body).toMatchObject({
          decision: 'require_approval',
          gates: [{ kind: 'policy', policy: 't/ask-long-waits', reason: 'long waits are looked at' }],
        });
        const guest = await explain(client, {
          principal: { sub: 'gus', roles: ['guest'] },
          tool: 'risky__raw',
        });
        expect(guest.body).toMatchObject({
          ...{ decision: 'deny', outcome: 'unknown_tool' },
          hints: [
            { kind: 'permit', policy: 't/guest-calm', fails: [{ part: 'resource' }, { part: 'when' }] },
          ],
        });
        expect((await explain(client, { tool: 'calm__nothing' })).body).toMatchObject({
          ...{ outcome: 'unknown_tool', cause: 'no_such_name' },
        });
        expect(
          (await explain(client, { principal: { sub: 'x', tenant: 'other' }, tool: 'calm__raw' })).status,
        ).toBe(403);
        expect(
          (await explain(clientOf(product(), { sub: 'uma', roles: ['user'] }), { tool: 'calm__raw' })).status,
        ).toBe(403);
        expect(await receipts()).toEqual(before);
      },
    );

    keeps(
      ['policy.explain', 'policy.simulate'],
      'a candidate is checked with its places, and what it would change is listed',
      async () => {
        const client = clientOf(product());
        const folder = join(product().policiesDir, 'tenants/default');
        const own = Object.fromEntries(
          readdirSync(folder).map((file) => [
            `t/${file.replace('.cedar', '')}`,
            readFileSync(join(folder, file), 'utf8'),
          ]),
        );
        const principals = [{ sub: 'uma', roles: ['user'] }];
        const broken = {
          ...own,
          't/typo':
            'permit (principal, action == UAR::Action::"callTool", resource)\nwhen { resource.riskTeir < 1 };',
        };
        expect((await simulate(client, { policies: broken, principals })).body).toMatchObject({
          error: { details: { errors: [{ policy_id: 't/typo', line: 2, suggestion: 'riskTier' }] } },
        });
        const stricter = {
          ...own,
          't/no-odd':
            'forbid (principal, action in UAR::Action::"invoke", resource == UAR::Tool::"default/calm/odd");',
        };
        const { body } = await simulate(client, { policies: stricter, principals });
        expect(body['differences']).toEqual([
          {
            ...{ principal: 0, sub: 'uma', tool: 'calm__odd', was: 'allow', would_be: 'deny' },
            ...{ would_be_outcome: 'policy_denied', policies: ['t/no-odd'] },
          },
        ]);
        expect((await client.execute('calm__odd')).status).toBe(200);
      },
    );

    keeps(
      ['cli.policy'],
      'the command line checks, tests, explains and simulates with its exit codes',
      async () => {
        const cli = (...args: string[]) => runCli(product(), ['policy', ...args]);
        const dir = product().policiesDir;
        expect(await cli('check', dir)).toMatchObject({ code: 0 });
        const tested = await cli('test', join(repositoryDir, 'deploy/policies'));
        expect(tested).toMatchObject({ code: 0, stdout: expect.stringMatching(/\d{3} rows, all hold\n$/) });
        const explained = await cli(
          'explain',
          'calm__count',
          '{"id":"bad"}',
          '--sub',
          'uma',
          '--roles',
          'user',
        );
        expect(explained).toMatchObject({
          code: 0,
          stdout: expect.stringContaining('t/no-bad-ids forbids callTool'),
        });
        const candidate = join(product().dataDir, 'candidate');
        mkdirSync(candidate, { recursive: true });
        writeFileSync(
          join(candidate, 'all.cedar'),
          'permit (principal, action in UAR::Action::"use", resource);\n',
        );
        const simulated = await cli(
          'simulate',
          candidate,
          '--principal',
          'gus:guest',
          '--tool',
          'risky__raw',
        );
        expect(simulated).toMatchObject({
          code: 0,
          stdout: expect.stringContaining('1 of 1 cell would change'),
        });
        writeFileSync(join(candidate, 'all.cedar'), 'permit (principal, action, resource;\n');
        const broken = await cli('simulate', candidate, '--principal', 'gus:guest');
        expect(broken).toMatchObject({ code: 1, stderr: expect.stringMatching(/^t\/all:1:\d+: /) });
      },
      240_000,
    );
  },
);
