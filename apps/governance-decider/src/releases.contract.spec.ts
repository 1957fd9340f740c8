import { writeFile } from 'node:fs/promises';
import { decideCall, issueGrant, policiesChanged } from '@uar/contracts';
import { withBothBuses } from '@uar/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DeciderHome, admin, expected, question, target, user, writes } from './decider.fixture.js';

withBothBuses('releases by the decider', (connect) => {
  const home = new DeciderHome(connect);
  beforeAll(() => home.open());
  afterAll(() => home.close());

  it('asks a human for a write by a user, and tells approvers why', async () => {
    expect(await home.ask(decideCall, { question: question(user, writes), target: target() })).toMatchObject({
      kind: 'require_approval',
      quorum: 1,
      determining: ['p/gate-risk'],
      reasons: ['risk tier is above what the tenant lets run unattended'],
    });
  });

  it('releases a write once an admin approved, by a ticket that becomes a grant', async () => {
    const asked = question(user, writes, '{"text":"x"}');
    const approval = { approval_id: `appr_${'1'.repeat(32)}`, requested_at: Date.now() - 1_000 };
    const without = await home.ask(decideCall, { question: asked, approval: { ...approval, approvers: [] } });
    expect(without.kind).toBe('require_approval');
    const approvers = [admin.principal];
    const released = await home.ask(decideCall, { question: asked, approval: { ...approval, approvers } });
    if (released.kind !== 'allow' || released.ticket === undefined) throw new Error('no ticket');
    expect(released.grant).toBeUndefined();
    const issued = await home.ask(issueGrant, { ticket: released.ticket, target: target() });
    if (issued.kind !== 'granted') throw new Error(issued.cause);
    expect(home.verifier().verify(issued.grant, expected(asked))).toMatchObject({
      kind: 'valid',
      claims: { approval_id: approval.approval_id },
    });
  });

  it('counts no vote of somebody who may not approve', async () => {
    const asked = question(user, writes);
    const approval = {
      approval_id: `appr_${'2'.repeat(32)}`,
      requested_at: Date.now(),
      approvers: [user.principal],
    };
    expect((await home.ask(decideCall, { question: asked, approval })).kind).toBe('require_approval');
  });

  it('issues nothing for a ticket that it did not seal', async () => {
    const asked = question(user, writes, '{"text":"y"}');
    const approval = { approval_id: `appr_${'3'.repeat(32)}`, requested_at: Date.now() - 1_000 };
    const approvers = [admin.principal];
    const released = await home.ask(decideCall, { question: asked, approval: { ...approval, approvers } });
    const own = released.kind === 'allow' ? (released.ticket ?? '') : '';
    const changed = `${own.slice(0, -8)}${own.at(-8) === 'A' ? 'B' : 'A'}${own.slice(-7)}`;
    for (const ticket of ['a.b.c', '', 'v1.', changed])
      expect(await home.ask(issueGrant, { ticket, target: target() })).toEqual({
        kind: 'refused',
        cause: 'bad_ticket',
      });
    const decision = await home.ask(decideCall, { question: question(user), target: target() });
    const grant = decision.kind === 'allow' ? (decision.grant ?? '') : '';
    expect(await home.ask(issueGrant, { ticket: grant, target: target() })).toMatchObject({
      kind: 'refused',
    });
  });

  it('forgets decisions and tickets when policies change, and says so', async () => {
    const asked = question(user, writes);
    const approval = { approval_id: `appr_${'4'.repeat(32)}`, requested_at: Date.now() };
    const released = await home.ask(decideCall, {
      question: asked,
      approval: { ...approval, approvers: [admin.principal] },
    });
    if (released.kind !== 'allow' || released.ticket === undefined) throw new Error('no ticket');
    const changed = new Promise<string>((resolve) => {
      home.gateway.listen(policiesChanged, ({ version }) => resolve(version));
    });
    const text =
      'forbid (principal, action in UAR::Action::"invoke", resource in UAR::Server::"default/time");';
    await writeFile(home.own('no-time'), text);
    const version = await changed;
    expect(version).not.toBe(released.policy_version);
    expect(await home.ask(decideCall, { question: question(user) })).toMatchObject({
      kind: 'deny',
      outcome: 'policy_denied',
      cause: 'forbidden',
      determining: ['t/no-time'],
      policy_version: version,
    });
    expect(await home.ask(issueGrant, { ticket: released.ticket, target: target() })).toEqual({
      kind: 'refused',
      cause: 'policy_changed',
    });
  });
});
