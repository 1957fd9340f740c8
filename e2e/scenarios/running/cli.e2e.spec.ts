import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect } from 'vitest';
import { runCli } from '../../cli.js';
import { clientOf, eventually, pendingApproval, toolListed, user } from '../../client.js';
import { keeps } from '../../keeps.js';
import { fixtureServer, onBothBuses } from '../../on-both-buses.js';

onBothBuses(
  'command line',
  () => ({ config: { mcp: { servers: { fix: fixtureServer() } } } }),
  (product) => {
    beforeAll(async () => {
      await toolListed(clientOf(product()), 'fix__count');
    });

    keeps(['cli.calls'], 'it lists and calls, with its exit codes', async () => {
      const tools = await runCli(product(), ['tools', '--json']);
      expect(tools.code).toBe(0);
      expect(tools.stdout).toContain('fix__count');
      const call = await runCli(product(), ['call', 'fix__count', '{"id":"cli"}', '--json']);
      expect(call.code).toBe(0);
      expect(JSON.parse(call.stdout)).toMatchObject({ outcome: 'completed' });
      const unknown = await runCli(product(), ['call', 'fix__nothing']);
      expect(unknown.code).toBe(1);
      expect(unknown.stdout + unknown.stderr).toContain('unknown_tool');
      const wrong = await runCli(product(), ['call', 'fix__write', '{"id":1}']);
      expect([wrong.code, wrong.stderr]).toEqual([
        1,
        expect.stringMatching(/^invalid_arguments: .*\n {2}arguments\/id: must be string\n$/),
      ]);
      expect((await runCli(product(), ['call'])).code).toBe(2);
      expect((await runCli(product(), ['call', 'fix__count', '{bad'])).code).toBe(2);
      expect((await runCli(product(), ['tools'], { UAR_URL: 'http://127.0.0.1:9' })).code).toBe(3);
      expect((await runCli(product(), ['--help'])).code).toBe(0);
      const servers = await runCli(product(), ['servers', '--json']);
      expect(servers.stdout).toContain('"fix"');
    });

    keeps(
      ['cli.calls', 'runs.agent', 'agents.scope'],
      'a token for an agent does what the example policies for agents permit, and no more',
      async () => {
        const { policiesDir } = product();
        for (const name of ['agent-list', 'agent-use', 'agent-unattended']) {
          const text = readFileSync(join(policiesDir, `examples/agents/${name}.cedar`), 'utf8');
          writeFileSync(
            join(policiesDir, `tenants/default/${name}.cedar`),
            text.replaceAll('default/everything', 'default/fix'),
          );
        }
        const minted = await runCli(product(), ['token', '--roles', 'user', '--agent', 'helper']);
        const env = { UAR_TOKEN: minted.stdout.trim() };
        const call = (tool: string) => runCli(product(), ['call', tool, '{"id":"agent"}', '--json'], env);
        const stranger = await call('fix__count');
        expect([stranger.code, stranger.stderr]).toEqual([1, expect.stringContaining('run_denied')]);
        const registered = await clientOf(product()).request('/api/uar/agents/helper', {
          method: 'PUT',
          body: {
            ...{ title: 'Helper', description: '', owner: 'dev', class: 'assistant', max_risk: 2 },
            scope: {},
          },
        });
        expect(registered.status).toBeLessThan(300);
        await eventually(async () => ((await call('fix__count')).code === 0 ? true : undefined));
        const administers = await runCli(product(), ['servers'], env);
        expect([administers.code, administers.stderr]).toEqual([1, expect.stringContaining('policy_denied')]);
      },
    );

    keeps(['cli.calls'], 'it decides an approval', async () => {
      const waiting = clientOf(product(), user).execute('fix__write', { id: 'cli' });
      const approval = await pendingApproval(clientOf(product()), 'fix__write');
      const listed = await runCli(product(), ['approvals', '--json']);
      expect(listed.stdout).toContain(String(approval['approval_id']));
      const decide = () => runCli(product(), ['approvals', 'approve', String(approval['approval_id'])]);
      expect((await decide()).code).toBe(0);
      expect((await waiting).body['outcome']).toBe('completed');
      const late = await decide();
      expect(late.code).toBe(1);
      expect(late.stderr).toMatch(
        /^approval_not_pending: appr_\w+ is consumed: it was approved, and its call was let run\n {2}approve by /,
      );
    });
  },
);
