import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProduct } from '@uar/testkit';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import {
  clientOf,
  decide,
  eventually,
  pendingApproval,
  toolListed,
  user,
  type Answer,
} from '../../client.js';
import { keeps } from '../../keeps.js';
import { createCounters, fixtureServer, onBothBuses } from '../../on-both-buses.js';

const counters = createCounters();
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'uar-settings-')));
afterAll(() => {
  counters.remove();
  rmSync(folder, { recursive: true, force: true });
});

const tenantPath = '/api/uar/settings/tenant';
const nativePath = '/api/uar/settings/native-tools';
/** What API.md promises, and the time that an answer of a busy machine takes. */
const withinMs = 1_500;

onBothBuses(
  'settings',
  (bus) => ({
    config: {
      mcp: {
        servers: {
          fix: fixtureServer(
            { COUNT_FILE: counters[bus].file },
            { tools: { overrides: { raw: { risk: 1 } } } },
          ),
        },
      },
      tenants: { default: { max_unattended_risk: 1 } },
    },
  }),
  (product, bus) => {
    beforeAll(async () => {
      await toolListed(clientOf(product()), 'fix__count');
    });
    afterEach(async () => {
      const back = { kill_switch: null, max_unattended_risk: null, suspended: null };
      await put(tenantPath, back);
      await outcomeOf(() => clientOf(product()).execute('fix__count', {}), 'completed');
    });

    const put = (path: string, body: object): Promise<Answer> =>
      clientOf(product()).request(path, { method: 'PUT', body });
    const outcomeOf = (call: () => Promise<Answer>, outcome: string): Promise<Answer> =>
      eventually(async () => {
        const answer = await call();
        return String(answer.body['outcome']) === outcome ? answer : undefined;
      }, withinMs);
    const ran = (): number => counters[bus].executions().length;

    keeps(['settings.kill-switch'], 'the kill switch stops every call at once', async () => {
      const client = clientOf(product());
      const waiting = clientOf(product(), user).execute('fix__write', { id: 'killed' });
      const approval = await pendingApproval(client, 'fix__write');
      expect((await put(tenantPath, { kill_switch: true })).body).toMatchObject({ kill_switch: true });
      const denied = await outcomeOf(() => client.execute('fix__count', { id: 'kill' }), 'policy_denied');
      expect([denied.status, denied.body['effect']]).toEqual([403, 'did_not_run']);
      const before = ran();
      expect((await client.execute('fix__count', { id: 'kill' })).status).toBe(403);
      const refused = await decide(client, approval, 'approve');
      expect([refused.status, String(refused.body['error']?.['code'])]).toEqual([409, 'kill_switch_on']);
      expect((await decide(client, approval, 'reject')).status).toBe(200);
      expect((await waiting).body['outcome']).toBe('approval_rejected');
      expect(ran()).toBe(before);
      await put(tenantPath, { kill_switch: false });
      await outcomeOf(() => client.execute('fix__count', { id: 'kill' }), 'completed');
      const { body } = await client.get('/api/uar/receipts?limit=1000');
      const actions = (body['receipts'] as unknown as { action?: string }[]).map(({ action }) => action);
      expect(actions).toContain('settings.put tenant kill_switch=true');
      expect(actions).toContain('settings.put tenant kill_switch=false');
    });

    keeps(['settings.risk'], 'a lower risk asks a human', async () => {
      const client = clientOf(product());
      expect((await client.execute('fix__raw', {})).body['outcome']).toBe('completed');
      await put(tenantPath, { max_unattended_risk: 0 });
      const asked = await eventually(async () => {
        const answer = await client.execute('fix__raw', {}, { prefer: 'respond-async' });
        return answer.body['approval'] === null ? undefined : answer;
      }, withinMs);
      const approval = await pendingApproval(client, 'fix__raw');
      expect(approval).toMatchObject({ status: 'pending', call_id: asked.body['call_id'] });
      const cancelled = await client.request(`/api/uar/calls/${String(asked.body['call_id'])}/cancel`, {
        method: 'POST',
      });
      expect(cancelled.body['outcome']).toBe('cancelled');
    });

    keeps(['settings.suspended'], 'a suspended user waits for nobody and may do nothing', async () => {
      const waiting = clientOf(product(), user).execute('fix__write', { id: 'suspended' });
      const approval = await pendingApproval(clientOf(product()), 'fix__write');
      const before = ran();
      await put(tenantPath, { suspended: { users: [String(user.sub)] } });
      const ended = await waiting;
      expect([ended.status, ended.body['outcome'], ended.body['effect']]).toEqual([
        ...[403, 'policy_denied', 'did_not_run'],
      ]);
      const vote = await decide(clientOf(product()), approval, 'approve');
      expect(vote.body['error']).toMatchObject({
        code: 'approval_not_pending',
        details: { status: 'cancelled' },
      });
      await eventually(async () => {
        const answer = await clientOf(product(), user).get('/api/tools');
        return answer.status === 403 ? true : undefined;
      }, withinMs);
      const call = await clientOf(product(), user).execute('fix__count', { id: 'suspend' });
      expect([call.status, call.body['effect']]).toEqual([404, 'did_not_run']);
      expect(ran()).toBe(before);
      expect((await clientOf(product()).execute('fix__count', { id: 'suspend' })).status).toBe(200);
    });

    keeps(['settings.native-tools'], 'native tools are switched while everything runs', async () => {
      const client = clientOf(product());
      const file = join(folder, `${bus}.txt`);
      writeFileSync(file, 'written by hand');
      expect((await client.execute('native__file_read', { path: file })).status).toBe(404);
      const missing = await put(nativePath, { terminal_exec_enabled: true });
      expect([missing.status, missing.body['error']]).toMatchObject([422, { code: 'not_available' }]);
      expect((await put(nativePath, { file_tools_enabled: true, file_allowed_paths: [folder] })).status).toBe(
        200,
      );
      const read = await outcomeOf(() => client.execute('native__file_read', { path: file }), 'completed');
      expect(read.text).toContain('written by hand');
      await put(nativePath, { file_tools_enabled: null, file_allowed_paths: null });
      await outcomeOf(() => client.execute('native__file_read', { path: file }), 'unknown_tool');
    });
  },
);

onBothBuses(
  'settings after a restart',
  () => ({ config: { tenants: { default: { max_unattended_risk: 1 } } } }),
  (product, bus) => {
    keeps(['settings.authority'], 'what was set wins over an edited file and shows the drift', async () => {
      const put = { method: 'PUT', body: { max_unattended_risk: 0 } };
      const set = await clientOf(product()).request(tenantPath, put);
      expect(set.body).toMatchObject({ max_unattended_risk: 0, drift: false });
      await product().stop({ keepData: true });
      const again = await startProduct({
        bus,
        config: { tenants: { default: { max_unattended_risk: 3, approval_needs_mfa: true } } },
        dataDir: product().dataDir,
      });
      try {
        const client = clientOf(again);
        expect((await client.get(tenantPath)).body).toMatchObject({
          ...{ max_unattended_risk: 0, approval_needs_mfa: true, drift: true },
        });
        const back = { method: 'PUT', body: { max_unattended_risk: null } };
        expect((await client.request(tenantPath, back)).body).toMatchObject({
          ...{ max_unattended_risk: 3, drift: false },
        });
      } finally {
        await again.stop();
      }
    });
  },
);
