import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { admin, clientOf, decide, eventually, pendingApproval, toolListed, user } from '../../client.js';
import { keeps } from '../../keeps.js';
import { createCounters, fixtureServer, onBothBuses } from '../../on-both-buses.js';

const counters = createCounters();
afterAll(() => counters.remove());

const tool = 'fix__write';

onBothBuses(
  'approvals',
  (bus) => ({ config: { mcp: { servers: { fix: fixtureServer({ COUNT_FILE: counters[bus].file }) } } } }),
  (product, bus) => {
    beforeAll(async () => {
      await toolListed(clientOf(product()), tool);
    });
    const ran = (id: string): number => counters[bus].executions().filter((each) => each === id).length;

    keeps(
      ['approval.preview'],
      'what hides is shown, what is secret is not, 60 kB stand whole, and nothing stands once it is settled',
      async () => {
        const args = `{"more":12345678901234567890,"id":"pre\u202eview","pass":"hunter2","text":"${'x'.repeat(60_000)}"}`;
        const waiting = clientOf(product(), user).request(`/api/tools/${tool}/execute`, {
          raw: `{"arguments":${args}}`,
        });
        const approval = await pendingApproval(clientOf(product()), tool);
        expect(String(approval['arguments_preview'])).toBe(
          args.replace('\u202e', '\\u{202e}').replace('hunter2', '*** (7 bytes)'),
        );
        const settled = await decide(clientOf(product()), approval, 'reject');
        expect(settled.body['arguments_preview']).toBe('');
        expect((await waiting).body['approval']).toMatchObject({ status: 'rejected', arguments_preview: '' });
      },
    );

    keeps(
      ['approval.approve', 'receipts.intent'],
      'a write by a user waits, and approving executes it once',
      async () => {
        const waiting = clientOf(product(), user).execute(tool, { id: 'approved' });
        const approval = await pendingApproval(clientOf(product()), tool);
        expect(approval).toMatchObject({ status: 'pending', requester: 'User::"default/uma"', votes: [] });
        expect(String(approval['arguments_preview'])).toContain('approved');
        expect(ran('approved')).toBe(0);
        const voted = await decide(clientOf(product()), approval, 'approve');
        expect(voted.status).toBe(200);
        const { status, body } = await waiting;
        expect({ status, outcome: body['outcome'] }).toEqual({ status: 200, outcome: 'completed' });
        expect(body['approval']).toMatchObject({ status: 'consumed' });
        expect(ran('approved')).toBe(1);
        expect((await decide(clientOf(product()), approval, 'approve')).status).toBe(409);
        const { body: list } = await clientOf(product()).get('/api/uar/receipts?limit=1000');
        const mine = (
          list['receipts'] as unknown as { call_id?: string; kind: string; outcome?: string }[]
        ).filter(({ call_id: id }) => id === String(body['call_id']));
        expect(mine.map(({ kind, outcome }) => [kind, outcome])).toEqual(
          expect.arrayContaining([
            ['intent', undefined],
            ['outcome', 'completed'],
          ]),
        );
        expect(mine.findIndex(({ kind }) => kind === 'intent')).toBeLessThan(
          mine.findIndex(({ kind }) => kind === 'outcome'),
        );
      },
    );

    keeps(['approval.reject'], 'rejecting ends it and nothing runs', async () => {
      const waiting = clientOf(product(), user).execute(tool, { id: 'rejected' });
      const approval = await pendingApproval(clientOf(product()), tool);
      await decide(clientOf(product()), approval, 'reject');
      const { status, body } = await waiting;
      expect({ status, outcome: body['outcome'], effect: body['effect'] }).toEqual({
        status: 403,
        outcome: 'approval_rejected',
        effect: 'did_not_run',
      });
      expect(ran('rejected')).toBe(0);
    });

    keeps(['approval.join'], 'an identical retry joins the call that waits', async () => {
      const first = clientOf(product(), user).execute(tool, { id: 'joined' });
      const approval = await pendingApproval(clientOf(product()), tool);
      const second = clientOf(product(), user).execute(tool, { id: 'joined' }, { prefer: 'respond-async' });
      expect((await second).body['call_id']).toBe(approval['call_id']);
      const { body } = await clientOf(product()).get('/api/uar/approvals?status=pending');
      expect(body['approvals']).toHaveLength(1);
      await decide(clientOf(product()), approval, 'approve');
      expect((await first).body['outcome']).toBe('completed');
      expect(ran('joined')).toBe(1);
    });

    keeps(['approval.once'], 'of approve and reject at the same instant one wins', async () => {
      const waiting = clientOf(product(), user).execute(tool, { id: 'raced' });
      const approval = await pendingApproval(clientOf(product()), tool);
      const [yes, no] = await Promise.all([
        decide(clientOf(product()), approval, 'approve'),
        decide(clientOf(product()), approval, 'reject'),
      ]);
      expect([yes.status, no.status].sort()).toEqual([200, 409]);
      const { body } = await waiting;
      expect(body['outcome']).toBe(yes.status === 200 ? 'completed' : 'approval_rejected');
      expect(ran('raced')).toBe(yes.status === 200 ? 1 : 0);
    });

    keeps(['approval.gone', 'call.cancel'], 'after a cancel approving is 409 and nothing runs', async () => {
      const client = clientOf(product(), user);
      const started = await client.execute(tool, { id: 'cancelled' }, { prefer: 'respond-async' });
      expect(started.status).toBe(202);
      const approval = await pendingApproval(clientOf(product()), tool);
      const cancelled = await client.request(`/api/uar/calls/${String(started.body['call_id'])}/cancel`, {
        method: 'POST',
      });
      expect(cancelled.body).toMatchObject({ outcome: 'cancelled', effect: 'did_not_run' });
      const vote = await decide(clientOf(product()), approval, 'approve');
      expect(vote.status).toBe(409);
      expect(vote.body['error']).toMatchObject({
        code: 'approval_not_pending',
        details: { status: 'cancelled' },
      });
      expect(ran('cancelled')).toBe(0);
    });

    keeps(['approval.gone'], 'after the waiter has left approving is 409 and nothing runs', async () => {
      const leaving = new AbortController();
      const left = fetch(`${product().gateway}/api/tools/${tool}/execute`, {
        method: 'POST',
        headers: { authorization: `Bearer ${product().token(user)}`, 'content-type': 'application/json' },
        body: JSON.stringify({ arguments: { id: 'left' } }),
        signal: leaving.signal,
      }).catch(() => undefined);
      const approval = await pendingApproval(clientOf(product()), tool);
      leaving.abort();
      await left;
      await eventually(async () => {
        const { body } = await clientOf(product()).get(
          `/api/uar/approvals/${String(approval['approval_id'])}`,
        );
        return String(body['status']) === 'channel_closed' ? true : undefined;
      });
      expect((await decide(clientOf(product()), approval, 'approve')).status).toBe(409);
      expect(ran('left')).toBe(0);
    });

    keeps(['approval.other-user'], 'a user decides neither its own request nor that of another', async () => {
      const waiting = clientOf(product(), user).execute(tool, { id: 'own' });
      const approval = await pendingApproval(clientOf(product()), tool);
      expect((await decide(clientOf(product(), user), approval, 'approve')).status).toBe(403);
      const other = clientOf(product(), { sub: 'otto', roles: ['user'] });
      expect((await decide(other, approval, 'approve')).status).toBe(403);
      expect((await other.get('/api/uar/approvals')).body['approvals']).toEqual([]);
      const foreign = clientOf(product(), { sub: 'fred', roles: ['admin'], tenant: 'elsewhere' });
      expect([403, 404]).toContain((await decide(foreign, approval, 'approve')).status);
      await decide(clientOf(product()), approval, 'reject');
      await waiting;
      expect(ran('own')).toBe(0);
    });

    keeps(
      ['approval.timeout'],
      'a deadline that passes while a human is asked is approval_timeout',
      async () => {
        const { status, body } = await clientOf(product(), user).request(`/api/tools/${tool}/execute`, {
          body: { arguments: { id: 'late' }, deadline_ms: 700 },
        });
        expect({ status, outcome: body['outcome'] }).toEqual({ status: 409, outcome: 'approval_timeout' });
        expect(ran('late')).toBe(0);
      },
    );

    keeps(['runs.decide'], 'an approval is decided by the run that waits for it', async () => {
      const uma = clientOf(product(), user);
      const opened = await uma.request('/api/uar/runs', { body: {} });
      const run_id = String(opened.body['run_id']);
      const asked = (id: string) =>
        uma.request(`/api/tools/${tool}/execute`, { body: { arguments: { id }, run_id } });
      const vote = (approved: boolean, more: object = {}) =>
        clientOf(product()).request(`/api/uar/runs/${run_id}/approval`, { body: { approved, ...more } });
      const once = (wanted: number, ...of: Parameters<typeof vote>) =>
        eventually(async () => {
          const answer = await vote(...of);
          return answer.status === wanted ? answer : undefined;
        });
      expect((await vote(true)).status).toBe(404);
      const first = asked('by-run');
      expect((await once(200, true)).body).toMatchObject({ run_id, votes: [{ decision: 'approve' }] });
      expect((await first).body['outcome']).toBe('completed');

      const both = [asked('one-of-two'), asked('other-of-two')];
      const pending = async () =>
        String((await clientOf(product()).get('/api/uar/approvals?status=pending')).text).split(run_id)
          .length;
      await eventually(async () => ((await pending()) === 3 ? true : undefined));
      const { text } = await once(409, false);
      expect(text).toContain('approval_ambiguous');
      const ids = text.match(/appr_[0-9a-f]{32}/g) ?? [];
      for (const approval_id of ids) expect((await vote(false, { approval_id })).status).toBe(200);
      const ended = await Promise.all(both);
      expect(ended.map(({ body }) => body['outcome'])).toEqual(['approval_rejected', 'approval_rejected']);
      expect([ran('by-run'), ran('one-of-two'), ran('other-of-two')]).toEqual([1, 0, 0]);
    });

    keeps(
      ['approval.revoked'],
      'a permission revoked while a human is asked denies at dispatch',
      async () => {
        const waiting = clientOf(product(), user).execute(tool, { id: 'revoked' });
        const approval = await pendingApproval(clientOf(product()), tool);
        const file = join(product().policiesDir, 'tenants/default/e2e-revoke.cedar');
        writeFileSync(
          file,
          `@reason("withdrawn")\nforbid (principal == UAR::User::"default/uma", action in UAR::Action::"invoke", resource);\n`,
        );
        await eventually(async () => {
          const probe = await clientOf(product(), user).execute('fix__count', { id: 'probe' });
          return probe.status === 403 ? true : undefined;
        });
        await decide(clientOf(product(), admin), approval, 'approve');
        const { status, body } = await waiting;
        rmSync(file);
        expect({ status, outcome: body['outcome'] }).toEqual({ status: 403, outcome: 'policy_denied' });
        expect(ran('revoked')).toBe(0);
      },
    );
  },
);
