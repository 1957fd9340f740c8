import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect } from 'vitest';
import { runCli } from '../../cli.js';
import { clientOf, eventually, toolListed, user, type Body, type Client } from '../../client.js';
import { keeps } from '../../keeps.js';
import { fixtureServer, onBothBuses } from '../../on-both-buses.js';

const base = '/api/uar/governance';
const calls = 60;
/** What the candidate adds: users without role admin lose one tool. */
const candidateRule =
  'forbid (principal, action == UAR::Action::"callTool", resource == UAR::Tool::"default/fix/count")\n' +
  'unless { principal in UAR::Role::"default/admin" };\n';

onBothBuses(
  'recorded decisions',
  () => ({ config: { mcp: { servers: { fix: fixtureServer() } } } }),
  (product) => {
    let admin: Client;
    let starter: Record<string, string>;
    const lost: string[] = [];

    /** Accepted at once, whether or not a human is asked. */
    const call = async (client: Client, tool: string): Promise<string> => {
      const answer = await client.execute(tool, {}, { prefer: 'respond-async' });
      return String(answer.body['call_id']);
    };
    const replay = (policies: Record<string, string>) =>
      admin.request(`${base}/replay`, { body: { policies } });
    const candidate = () => ({ ...starter, 't/no-count': candidateRule });

    beforeAll(async () => {
      admin = clientOf(product());
      const plain = clientOf(product(), user);
      await toolListed(admin, 'fix__count');
      await toolListed(plain, 'fix__count');
      const { body } = await admin.get(`${base}/policies`);
      const policies = body['policies'] as unknown as { id: string; tier: string; text: string }[];
      const own = policies.filter(({ tier }) => tier === 'tenant');
      starter = Object.fromEntries(own.map(({ id, text }) => [id, text]));
      for (let n = 0; n < calls; n += 1) {
        const client = n % 3 === 0 ? plain : admin;
        const tool = n % 2 === 0 ? 'fix__count' : 'fix__raw';
        const callId = await call(client, tool);
        if (client === plain && tool === 'fix__count') lost.push(callId);
      }
    });

    keeps(['policy.replay'], 'the set in force changes no decision that was recorded', async () => {
      const answer = await replay(starter);
      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject({ replayed: calls, changed: [], undecided: [], complete: true });
    });

    keeps(['policy.replay'], 'a changed set lists exactly the decisions that it changes', async () => {
      const answer = await replay(candidate());
      const changed = answer.body['changed'] as unknown as Body[];
      expect(new Set(changed.map((one) => String(one['call_id'])))).toEqual(new Set(lost));
      expect(changed[0]).toMatchObject({
        ...{ would_be: 'deny', would_be_outcome: 'policy_denied' },
        policies: ['t/no-count'],
      });
    });

    keeps(['policy.replay'], 'the command line lists the same', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'uar-candidate-'));
      for (const [id, text] of Object.entries(candidate()))
        writeFileSync(join(folder, `${id.slice(2)}.cedar`), text);
      const found = await runCli(product(), ['policy', 'replay', folder, '--json']);
      rmSync(folder, { recursive: true });
      expect(found.code).toBe(0);
      const { changed } = JSON.parse(found.stdout) as { changed: { call_id: string }[] };
      expect(new Set(changed.map(({ call_id }) => call_id))).toEqual(new Set(lost));
    });

    keeps(['policy.replay'], 'an unsound candidate is 422 with its place', async () => {
      const answer = await replay({ ...starter, 't/broken': 'permit (' });
      expect(answer.status).toBe(422);
      expect(answer.body['error']?.['details']).toMatchObject({
        errors: [expect.objectContaining({ policy_id: 't/broken' })],
      });
      const refused = await clientOf(product(), user).request(`${base}/replay`, { body: { policies: {} } });
      expect(refused.status).toBe(403);
    });

    keeps(['policy.shadow'], 'a shadow counts what it would change, and decides nothing', async () => {
      const put = await admin.request(`${base}/shadow`, { method: 'PUT', body: { policies: candidate() } });
      expect([put.status, put.body]).toMatchObject([200, { evaluated: 0, differences: 0 }]);
      const plain = clientOf(product(), user);
      const before = await plain.execute('fix__count', {}, { prefer: 'respond-async' });
      expect(before.status).toBe(202);
      await call(admin, 'fix__count');
      const shadow = await eventually(async () => {
        const { body } = await admin.get(`${base}/shadow`);
        return Number(body['evaluated']) >= 2 ? body : undefined;
      });
      expect(shadow).toMatchObject({
        ...{ evaluated: 2, dropped: 0, differences: 1 },
        listed: [{ call_id: before.body['call_id'], tool: 'fix/count', would_be: 'deny' }],
      });
      const removed = await admin.request(`${base}/shadow`, { method: 'DELETE' });
      expect([removed.status, removed.body]).toEqual([200, { deleted: true }]);
      expect((await admin.get(`${base}/shadow`)).status).toBe(404);
      const receipts = await admin.get('/api/uar/receipts?limit=1000');
      expect(receipts.text).toContain('shadow.put');
      expect(receipts.text).toContain('shadow.delete');
    });
  },
);
