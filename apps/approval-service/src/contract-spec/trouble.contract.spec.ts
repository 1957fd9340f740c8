import { join } from 'node:path';
import type { Bus } from '@uar/bus';
import {
  castVote,
  consumeApproval,
  createApproval,
  listApprovals,
  readLedgerStatus,
  verifyReceipts,
  writeIntent,
} from '@uar/contracts';
import { withBothBuses } from '@uar/testkit';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deployment, playDecider, playGateway, present, value, type Deployment } from './running.fixture.js';
import { acme, approver, caller, consumption, draft, intent } from './samples.fixture.js';

withBothBuses('an approval-service in trouble', (connect) => {
  let service: Deployment;
  let gateway: Bus;

  beforeEach(async () => {
    service = deployment(connect);
    gateway = await present(connect);
  });
  afterEach(() => service.end());

  const ask = (changes = {}) => draft({ gateway: gateway.instance, ...changes });

  describe('after a restart', () => {
    it('still has what was pending, to be decided or reported, never silently gone (H4)', async () => {
      const alive = await playGateway(await connect('gateway'));
      await service.start();
      const waiting = ask({ gateway: alive.bus.instance });
      const orphaned = ask({ gateway: '00000000000000ff' });
      for (const each of [waiting, orphaned]) value(await gateway.ask(createApproval, each));
      await service.stop();
      const decider = await connect('governance-decider');
      await playDecider(decider);
      await service.start();
      const { approvals } = value(await gateway.ask(listApprovals, { caller: approver('sam'), limit: 10 }));
      const found = new Map(approvals.map(({ approval_id, status }) => [approval_id, status]));
      expect(found.get(waiting.approval_id)).toBe('pending');
      // Closed by the watch where it was faster than we are.
      expect(['pending', 'channel_closed']).toContain(found.get(orphaned.approval_id));
      const vote = async ({ approval_id }: { approval_id: string }) =>
        value(await gateway.ask(castVote, { caller: approver('sam'), approval_id, decision: 'approve' }));
      expect(await vote(waiting)).toMatchObject({ kind: 'counted', approval: { status: 'approved' } });
      expect(await vote(orphaned)).toEqual({ kind: 'not_pending', status: 'channel_closed' });
      await decider.close();
    });

    it('ends what expired in the meantime, and says so', async () => {
      const { heard } = await playGateway(await connect('gateway'));
      await service.start();
      const short = ask({ expires_at: Date.now() + 400 });
      value(await gateway.ask(createApproval, short));
      await service.stop();
      await service.start();
      await heard(short.approval_id, 'expired');
    });

    it('does not give a consumed approval again', async () => {
      const holder = await playGateway(await connect('gateway'));
      const decider = await connect('governance-decider');
      await playDecider(decider);
      await service.start();
      const used = ask({ gateway: holder.bus.instance });
      value(await gateway.ask(createApproval, used));
      const { approval_id } = used;
      value(await gateway.ask(castVote, { caller: approver('sam'), approval_id, decision: 'approve' }));
      expect(value(await gateway.ask(consumeApproval, consumption(used)))).toMatchObject({
        kind: 'consumed',
      });
      await service.stop();
      await service.start();
      expect(value(await gateway.ask(consumeApproval, consumption(used)))).toEqual({
        kind: 'refused',
        status: 'consumed',
      });
      expect(value(await gateway.ask(verifyReceipts, { tenant: acme }))).toMatchObject({
        ok: true,
        length: 2,
      });
      await decider.close();
    });
  });

  it('takes no vote and shows nothing while no PDP decides', async () => {
    await service.start();
    const { approval_id } = ask();
    value(await gateway.ask(createApproval, ask({ approval_id })));
    const vote = { caller: approver('sam'), approval_id, decision: 'approve' } as const;
    expect(value(await gateway.ask(castVote, vote))).toEqual({ kind: 'unavailable' });
    expect(await gateway.ask(listApprovals, { caller: caller('ann'), limit: 10 })).toMatchObject({
      fault: 'faulted',
    });
  });

  it('counts the vote of a person whose gateway does not answer in time once it does', async () => {
    const decider = await connect('governance-decider');
    await playDecider(decider);
    let broken = true;
    const holder = await playGateway(await connect('gateway'), () => {
      if (broken) throw new Error('not now');
      return { kind: 'released' };
    });
    await service.start();
    const held = ask({ gateway: holder.bus.instance });
    const { approval_id } = held;
    value(await gateway.ask(createApproval, held));
    const vote = { caller: approver('sam'), approval_id, decision: 'approve' } as const;
    expect(value(await gateway.ask(castVote, vote))).toEqual({ kind: 'unavailable' });
    broken = false;
    expect(value(await gateway.ask(castVote, vote))).toMatchObject({
      kind: 'counted',
      approval: { status: 'approved', votes: [{ by: 'User::"acme/sam"' }] },
    });
    await decider.close();
  });

  it('says that the ledger cannot be written, writes nothing, and recovers (O5)', async () => {
    const running = await service.start();
    const other = new Database(join(service.dataDir, 'ledger.db'));
    other.exec('BEGIN IMMEDIATE');
    expect(value(await gateway.ask(readLedgerStatus, {}))).toMatchObject({
      writable: false,
      problem: expect.stringContaining('SQLITE_BUSY'),
    });
    expect(await gateway.ask(writeIntent, intent(gateway))).toMatchObject({ fault: 'faulted' });
    expect(await running.readiness()).toMatchObject({ ready: false });
    other.exec('ROLLBACK');
    other.close();
    expect(value(await gateway.ask(writeIntent, intent(gateway)))).toMatchObject({ seq: 1 });
    expect(await running.readiness()).toEqual({ ready: true, problems: [] });
  });

  it('is refused a data folder that another process uses', async () => {
    await service.start();
    await expect(deploymentOn(service.dataDir)).rejects.toThrow(/in use by process/);
  });

  async function deploymentOn(dataDir: string) {
    const second = deployment(connect, { data_dir: dataDir });
    try {
      return await second.start();
    } finally {
      await second.end();
    }
  }
});
