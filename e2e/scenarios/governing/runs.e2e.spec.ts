import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client as McpClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { TokenOptions } from '@uar/testkit';
import { afterAll, beforeAll, expect } from 'vitest';
import {
  admin,
  clientOf,
  decide,
  eventually,
  pendingApproval,
  toolListed,
  user,
  type Answer,
  type Body,
} from '../../client.js';
import { keeps } from '../../keeps.js';
import { createCounters, fixtureServer, onBothBuses } from '../../on-both-buses.js';

const counters = createCounters();
afterAll(() => counters.remove());

const runs = '/api/uar/runs';
const policy = '/api/uar/settings/run-policy';
const coder: TokenOptions = { ...user, agent: 'coder' };
const only = (...ids: string[]) => ({ tools: { mode: 'selected', ids } });

onBothBuses(
  'runs',
  (bus) => ({ config: { mcp: { servers: { fix: fixtureServer({ COUNT_FILE: counters[bus].file }) } } } }),
  (product, bus) => {
    const ran = (id: string): number => counters[bus].executions().filter((each) => each === id).length;
    const ask = (who: TokenOptions, method: string, path: string, body?: unknown) =>
      clientOf(product(), who).request(path, { method, ...(body === undefined ? {} : { body }) });
    const open = async (who: TokenOptions, turn: object): Promise<string> => {
      const opened = await ask(who, 'POST', runs, { scopes: { turn } });
      expect(opened.status).toBe(201);
      return String(opened.body['run_id']);
    };
    const call = (who: TokenOptions, tool: string, options: { run?: string; args?: object } = {}) =>
      ask(who, 'POST', `/api/tools/${tool}/execute`, {
        arguments: options.args ?? { id: 'any' },
        ...(options.run === undefined ? {} : { run_id: options.run }),
      });
    const outcome = async (answer: Promise<Answer>) => String((await answer).body['outcome']);
    const becomes = (wanted: string, ...of: Parameters<typeof call>): Promise<true> =>
      eventually(async () => ((await outcome(call(...of))) === wanted ? true : undefined));
    const effective = ({ body }: Answer): Body => body['effective'] ?? {};
    const policyFile = (name: string): string =>
      join(product().policiesDir, 'tenants/default', `${name}.cedar`);
    const putAgent = (changes: object = {}) =>
      ask(admin, 'PUT', '/api/uar/agents/coder', {
        ...{ title: 'Coder', description: 'writes code', owner: 'uma', scope: {} },
        ...changes,
      });

    beforeAll(async () => {
      await toolListed(clientOf(product()), 'fix__count');
      const permit = (action: string) =>
        `@reason("agents may do what their users may")\npermit (principal is UAR::Agent, action in ${action}, resource);\n`;
      writeFileSync(policyFile('e2e-agents-use'), permit('UAR::Action::"use"'));
      writeFileSync(policyFile('e2e-agents-alone'), permit('[UAR::Action::"callToolUnattended"]'));
      writeFileSync(policyFile('e2e-agents-list'), permit('[UAR::Action::"listTools"]'));
    });

    keeps(['runs.narrow'], 'a run lists and calls what its scopes leave', async () => {
      const run = await open(user, only('fix__count'));
      const view = await ask(user, 'GET', `${runs}/${run}`);
      expect(effective(view)).toMatchObject({ tools: ['fix__count'], mcp_servers: ['fix'] });
      const { body } = await ask(user, 'GET', `/api/tools?run_id=${run}`);
      expect(body['tools']).toMatchObject([{ name: 'fix__count' }]);
      expect(await outcome(call(user, 'fix__count', { run }))).toBe('completed');
      const denied = await call(user, 'fix__write', { run });
      expect([denied.status, String(denied.body['outcome'])]).toEqual([403, 'run_denied']);
      expect(await outcome(call(user, 'fix__nothing', { run }))).toBe('unknown_tool');
      const otto: TokenOptions = { sub: 'otto', roles: ['user'] };
      expect((await ask(otto, 'GET', `${runs}/${run}`)).status).toBe(404);
      expect(await outcome(call(otto, 'fix__count', { run }))).toBe('run_denied');
      writeFileSync(
        policyFile('e2e-hidden'),
        '@reason("hidden")\nforbid (principal == UAR::User::"default/uma", action in UAR::Action::"use", resource == UAR::Tool::"default/fix/write");\n',
      );
      await becomes('unknown_tool', user, 'fix__write', { run });
      rmSync(policyFile('e2e-hidden'));
      await becomes('run_denied', user, 'fix__write', { run });
    });

    keeps(['runs.approval'], 'a run asks a human about every call, or about none', async () => {
      const asking = await open(user, { tool_approval: 'ask' });
      const { body } = await ask(user, 'GET', `/api/tools?run_id=${asking}&q=fix__count`);
      expect(body['tools']).toMatchObject([{ name: 'fix__count', approval: 'always' }]);
      const waiting = call(user, 'fix__count', { run: asking, args: { id: 'asked' } });
      const approval = await pendingApproval(clientOf(product()), 'fix__count');
      expect(JSON.stringify(approval['risk'])).toContain('the run asks');
      expect(ran('asked')).toBe(0);
      expect((await decide(clientOf(product()), approval, 'approve')).status).toBe(200);
      expect([await outcome(waiting), ran('asked')]).toEqual(['completed', 1]);
      const refusing = await open(user, { tool_approval: 'deny' });
      expect(await outcome(call(user, 'fix__count', { run: refusing }))).toBe('completed');
      expect(await outcome(call(user, 'fix__write', { run: refusing, args: { id: 'never' } }))).toBe(
        'run_denied',
      );
      expect(ran('never')).toBe(0);
    });

    keeps(['runs.cancel'], 'a cancelled run ends what waits and what runs in it', async () => {
      const run = await open(user, {});
      const waiting = call(user, 'fix__write', { run, args: { id: 'waits' } });
      const approval = await pendingApproval(clientOf(product()), 'fix__write');
      const running = call(user, 'fix__count', { run, args: { id: 'runs', wait_ms: 20_000 } });
      await eventually(() => Promise.resolve(ran('runs') === 1 ? true : undefined));
      const cancelled = await ask(user, 'POST', `${runs}/${run}/cancel`);
      expect([cancelled.status, String(cancelled.body['status'])]).toEqual([200, 'cancelled']);
      expect((await waiting).body).toMatchObject({ outcome: 'cancelled', effect: 'did_not_run' });
      expect((await running).body).toMatchObject({
        outcome: 'cancelled_after_dispatch',
        effect: 'may_have_run',
      });
      const vote = await decide(clientOf(product()), approval, 'approve');
      expect([vote.status, vote.body['error']?.['details']]).toEqual([409, { status: 'cancelled' }]);
      expect([await outcome(call(user, 'fix__count', { run })), ran('waits')]).toEqual(['run_denied', 0]);
    });

    keeps(['runs.patch'], 'a run is narrowed, never widened', async () => {
      const run = await open(user, only('fix__count', 'fix__write'));
      const patch = (turn: object) => ask(user, 'PATCH', `${runs}/${run}`, { scopes: { turn } });
      const wider = await patch({ tools: { mode: 'all' } });
      expect([wider.status, wider.body['error']?.['details']]).toEqual([422, { member: 'tools' }]);
      expect(effective(await patch(only('fix__count')))['tools']).toEqual(['fix__count']);
      expect((await patch(only('fix__count', 'fix__write'))).status).toBe(422);
      expect(await outcome(call(user, 'fix__write', { run }))).toBe('run_denied');
    });

    keeps(['runs.policy'], 'the global scope holds for the very next call', async () => {
      const run = await open(user, {});
      const scope = { tools: { mode: 'all', denied_ids: ['fix__count'] } };
      expect((await ask(admin, 'PUT', policy, scope)).status).toBe(200);
      expect(await outcome(call(user, 'fix__count', { run }))).toBe('run_denied');
      expect(await outcome(call(user, 'fix__count'))).toBe('run_denied');
      expect((await ask(admin, 'GET', policy)).body).toEqual(scope);
      expect((await ask(user, 'GET', policy)).status).toBe(403);
      const { body } = await ask(admin, 'GET', '/api/uar/receipts?limit=1000');
      expect(JSON.stringify(body)).toContain('settings.put run-policy');
      expect((await ask(admin, 'PUT', policy, {})).status).toBe(200);
      expect(await outcome(call(user, 'fix__count', { run }))).toBe('completed');
    });

    keeps(['agents.scope'], 'an agent is registered, scoped, bounded and removed', async () => {
      expect(await outcome(call(coder, 'fix__count'))).toBe('run_denied');
      expect((await putAgent()).status).toBe(201);
      await becomes('completed', coder, 'fix__count');
      const opened = await ask(coder, 'POST', runs, {});
      expect([opened.status, String(opened.body['agent_id'])]).toEqual([201, 'coder']);
      expect((await putAgent({ scope: only('fix__count', 'fix__gone') })).body['warnings']).toMatchObject([
        { code: 'unknown_id' },
      ]);
      expect(await outcome(call(coder, 'fix__raw', { args: {} }))).toBe('run_denied');
      expect(await outcome(call(user, 'fix__raw', { args: {} }))).toBe('completed');
      const waiting = call(coder, 'fix__write', { args: { id: 'agent' } });
      expect(await outcome(waiting)).toBe('run_denied');
      expect((await putAgent({ max_risk: 0 })).status).toBe(200);
      await becomes('unknown_tool', coder, 'fix__write');
      expect(await outcome(call(coder, 'fix__count'))).toBe('completed');
      expect((await ask(user, 'GET', '/api/uar/agents')).status).toBe(403);
      expect((await ask(coder, 'DELETE', '/api/uar/agents/coder')).status).toBe(403);
      expect((await ask(admin, 'DELETE', '/api/uar/agents/coder')).status).toBe(200);
      expect(await outcome(call(coder, 'fix__count'))).toBe('run_denied');
    });

    keeps(
      ['runs.agent'],
      'in a run of an agent both agent and user must be allowed, whoever holds the token',
      async () => {
        const unknown = await ask(user, 'POST', runs, { agent_id: 'coder' });
        expect([unknown.status, String(unknown.body['error']?.['code'])]).toEqual([403, 'run_denied']);
        await putAgent();
        const opened = await eventually(async () => {
          const answer = await ask(user, 'POST', runs, { agent_id: 'coder' });
          return answer.status === 201 ? answer : undefined;
        });
        const run = String(opened.body['run_id']);
        await becomes('completed', user, 'fix__count', { run });
        writeFileSync(
          policyFile('e2e-agents-not'),
          '@reason("no agents here")\nforbid (principal == UAR::Agent::"default/coder", action == UAR::Action::"callTool", resource == UAR::Tool::"default/fix/count");\n',
        );
        await becomes('policy_denied', user, 'fix__count', { run });
        expect(await outcome(call(user, 'fix__count'))).toBe('completed');
        rmSync(policyFile('e2e-agents-not'));
        await becomes('completed', user, 'fix__count', { run });
        const suspend = (agents: string[]) =>
          ask(admin, 'PUT', '/api/uar/settings/tenant', { suspended: { agents } });
        expect((await suspend(['coder'])).status).toBe(200);
        await becomes('unknown_tool', user, 'fix__count', { run });
        expect(await outcome(call(user, 'fix__count'))).toBe('completed');
        await suspend([]);
        await ask(admin, 'DELETE', '/api/uar/agents/coder');
      },
    );

    keeps(['capabilities.ceilings'], 'token, agent and run hold capabilities down', async () => {
      const bare: TokenOptions = { ...user, capabilities: [] };
      expect(await outcome(call(bare, 'fix__count'))).toBe('capability_denied');
      const reader: TokenOptions = { ...user, capabilities: ['read'] };
      expect(await outcome(call(reader, 'fix__count'))).toBe('completed');
      expect(await outcome(call(reader, 'fix__write'))).toBe('capability_denied');
      const run = await open(user, { capabilities: ['write'] });
      expect(effective(await ask(user, 'GET', `${runs}/${run}`))['capabilities']).toEqual(['write']);
      expect(await outcome(call(user, 'fix__count', { run }))).toBe('capability_denied');
      await putAgent({ capabilities: ['network'] });
      await becomes('capability_denied', coder, 'fix__count');
      await ask(admin, 'DELETE', '/api/uar/agents/coder');
    });

    keeps(['runs.session'], 'a session is a run that can be narrowed and cancelled', async () => {
      const client = new McpClient({ name: 'e2e', version: '1.0.0' });
      const headers = { authorization: `Bearer ${product().token(user)}` };
      await client.connect(
        new StreamableHTTPClientTransport(new URL(`${product().gateway}/mcp`), { requestInit: { headers } }),
      );
      const names = async () => (await client.listTools()).tools.map(({ name }) => name);
      const call = async (name: string): Promise<Body> => {
        const { _meta: meta } = await client.callTool({ name, arguments: { id: 'session' } });
        return Object(meta?.['io.uar/call']) as Body;
      };
      const made = await call('fix__count');
      const run = await eventually(async () => {
        const { body } = await ask(admin, 'GET', '/api/uar/receipts?limit=1000');
        const receipts = (body['receipts'] ?? []) as unknown as { call_id?: string; run_id: string }[];
        return receipts.find((it) => it.call_id === String(made['call_id']))?.run_id;
      });
      expect(
        (await ask(user, 'PATCH', `${runs}/${run}`, { scopes: { turn: only('fix__count') } })).status,
      ).toBe(200);
      expect(await names()).toEqual(['fix__count']);
      expect(await call('fix__write')).toMatchObject({ outcome: 'run_denied', effect: 'did_not_run' });
      expect((await ask(user, 'POST', `${runs}/${run}/cancel`)).status).toBe(200);
      expect([await names(), String((await call('fix__count'))['outcome'])]).toEqual([[], 'run_denied']);
      await client.close();
    });
  },
);
