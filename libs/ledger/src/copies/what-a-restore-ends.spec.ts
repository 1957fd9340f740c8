import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { acme, beta, draft, startOfTime as now } from '../conformance/samples.fixture.js';
import type { SameThread } from '../thread/same-thread.js';
import { CopyFolder, append } from './copy-folder.fixture.js';

let folder: CopyFolder;
beforeEach(() => {
  folder = new CopyFolder();
});
afterEach(() => folder.remove());

const shown = 'planted-in-a-preview';
const limits = { maxPending: 9, maxNewPerMinute: 9 };
const ask = (changes: Parameters<typeof draft>[0] = {}) => ({ draft: draft(changes), limits, now });
const holds = (path: string) => readFileSync(path).includes(shown);

const backToSchema6 = `
  PRAGMA secure_delete = ON;
  DROP TABLE accounts; DROP TABLE authorizations; DROP TABLE deliveries; DROP TABLE open_calls;
  DROP TRIGGER approval_preview_erased; DROP TABLE approval_previews;
  DROP INDEX kept_calls_pending; ALTER TABLE kept_calls DROP COLUMN gateway; ALTER TABLE kept_calls DROP COLUMN closed;
  DROP TABLE event_groups; DROP TABLE event_tenants; DROP TABLE event_runs; DROP TABLE event_sources;
  DROP INDEX runs_by_due; ALTER TABLE runs DROP COLUMN due_at; ALTER TABLE runs DROP COLUMN end_told;
  DROP INDEX approvals_by_requester; ALTER TABLE approvals DROP COLUMN nth;
  CREATE INDEX approvals_by_requester ON approvals (requester, created_at);
  DELETE FROM schema_migrations WHERE version > 6;
  UPDATE approvals SET draft = json_set(draft, '$.arguments_preview', '${shown}')`;

describe('previews of arguments', () => {
  beforeEach(() =>
    folder.session(async (ledger) => {
      await append(1)(ledger);
      await ledger.ask('createApproval', ask({ arguments_preview: `{"path":"${shown}"}` }));
    }),
  );

  it('are not in a backup: a restore ends every approval that needs one', async () => {
    expect(holds(folder.options.file)).toBe(true);
    await folder.backup();
    expect(holds(folder.copy)).toBe(false);
    expect(holds(folder.options.file)).toBe(true);
  });

  it('are not in a backup of an earlier schema, which has them in its approvals', async () => {
    folder.edit(folder.options.file, backToSchema6);
    expect(holds(folder.options.file)).toBe(true);
    await folder.backup();
    expect(holds(folder.copy)).toBe(false);
  });

  it('that are in an older backup are not in what is restored from it', async () => {
    await folder.backup();
    folder.edit(
      folder.copy,
      `INSERT OR REPLACE INTO approval_previews SELECT approval_id, '${shown}' FROM approvals`,
    );
    expect(holds(folder.copy)).toBe(true);
    const done = folder.restore();
    expect(done).toMatchObject({ kind: 'restored' });
    expect(holds(folder.options.file)).toBe(false);
  });
});

const messaged = <T>(write: (ledger: SameThread) => Promise<T>) => folder.session(write, true);

async function created(ledger: SameThread): Promise<string> {
  const made = await ledger.ask('createApproval', ask());
  if (made.kind !== 'created') throw new Error(made.kind);
  return made.approval.draft.approval_id;
}

const due = (ledger: SameThread, busy: string[] = []) =>
  ledger.ask('dueDeliveries', { now: now + 2, busy, limit: 10 });

describe('a restore', () => {
  it('tells the webhook of the approvals that it ends, and asks it about none of them', async () => {
    const ids = await messaged(async (ledger) => {
      const [waiting, told] = [await created(ledger), await created(ledger)];
      for (const { delivery } of (await due(ledger, [waiting])).due)
        await ledger.ask('endAttempt', { ...delivery, end: { kind: 'delivered' }, now });
      const settled = await created(ledger);
      const move = { from: ['pending'] as const, to: 'cancelled', when: 'any', now } as const;
      await ledger.ask('moveApproval', { approvalId: settled, ...move });
      return { waiting, told, settled };
    });
    const unannounced = await folder.session(created);
    await folder.backup();
    expect(folder.restore({ now: now + 1 })).toMatchObject({ kind: 'restored' });
    const messages = await messaged((ledger) => ledger.ask('listDeliveries', { tenant: acme, limit: 50 }));
    const of = (id: string) =>
      messages
        .filter(({ approvalId }) => approvalId === id)
        .map(({ event, approvalStatus, status }) => [event, approvalStatus, status]);
    const end = ['approval.settled', 'channel_closed', 'pending'];
    expect(of(ids.waiting)).toEqual([end, ['approval.required', 'pending', 'dead']]);
    expect(of(ids.told)).toEqual([end, ['approval.required', 'pending', 'delivered']]);
    expect(of(ids.settled)).toEqual([
      ['approval.settled', 'cancelled', 'pending'],
      ['approval.required', 'pending', 'pending'],
    ]);
    expect(of(unannounced)).toEqual([]);
    const sent = await messaged((ledger) => due(ledger));
    expect(sent.due.map(({ delivery }) => [delivery.approvalId, delivery.event])).toEqual(
      expect.arrayContaining([
        [ids.waiting, 'approval.settled'],
        [ids.told, 'approval.settled'],
      ]),
    );
  });

  it('does the same with a backup of an earlier schema, whose approvals have their previews in them', async () => {
    const id = await folder.session(async (ledger) => {
      await append(1)(ledger);
      return created(ledger);
    });
    await folder.backup();
    folder.edit(folder.copy, backToSchema6);
    expect(holds(folder.copy)).toBe(true);
    expect(folder.restore()).toMatchObject({ kind: 'restored' });
    expect(holds(folder.options.file)).toBe(false);
    const approvals = await folder.session((ledger) =>
      ledger.ask('listApprovals', { tenant: acme, limit: 9 }),
    );
    expect(approvals.map(({ draft: { approval_id }, status }) => [approval_id, status])).toEqual([
      [id, 'channel_closed'],
    ]);
  });

  it('gives no place of an event twice, of runs and tenants that the backup knows or not', async () => {
    const run = (name: string) => ({
      run_id: `run_${name.repeat(16)}`,
      owner: { principal: 'ann', issuer: 'https://idp.example' },
    });
    const place = (tenant: typeof acme, at: ReturnType<typeof run>) =>
      folder.session(async (ledger) => {
        const group = { tenant, run: at, count: 3, events_json: 'sealed' };
        const [first] = await ledger.ask('appendEvents', { groups: [group], now });
        return first;
      });
    await folder.session(append(1));
    await place(acme, run('a'));
    await folder.backup();
    for (let n = 0; n < 5; n += 1) await place(acme, run('a'));
    const [lostA, lostB] = [await place(acme, run('a')), await place(acme, run('b'))];
    await folder.session(append(1, beta));
    const lostBeta = await place(beta, run('c'));
    expect(folder.restore({ acceptLoss: new Map([['beta', 1]]) })).toMatchObject({ kind: 'restored' });
    const read = await folder.session((ledger) =>
      ledger.ask('readEvents', { tenant: acme, after: lostB?.position ?? 0 }),
    );
    expect(read).toMatchObject({ groups: [], lost: true });
    const [nextA, nextB] = [await place(acme, run('a')), await place(acme, run('b'))];
    const nextBeta = await place(beta, run('c'));
    for (const [lost, next] of [
      [lostA, nextA],
      [lostB, nextB],
      [lostBeta, nextBeta],
    ]) {
      expect(next?.position).toBeGreaterThan((lost?.position ?? Infinity) + 2);
      expect(next?.seq).toBeGreaterThan((lost?.seq ?? Infinity) + 2);
    }
  });
});
