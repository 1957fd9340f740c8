import { createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  acme,
  beta,
  draft,
  ledgerFolder,
  receipt,
  startOfTime as now,
} from '../conformance/samples.fixture.js';
import { SameThread } from '../thread/same-thread.js';
import { openEngine } from '../sqlite/engine.js';
import { backupLedger } from './backup.js';
import { restoreLedger, type RestoreOptions } from './restore.js';

let folder: ReturnType<typeof ledgerFolder>;
let to: string;
beforeEach(() => {
  folder = ledgerFolder();
  to = join(dirname(folder.options.file), 'copy.db');
});
afterEach(() => folder.remove());

/** The ledger in this thread: starting a worker for each would be most of the time. */
async function session<T>(write: (ledger: SameThread) => Promise<T>, hasWebhook = false): Promise<T> {
  const { file, headsFile, signingKey } = folder.options;
  const ledger = new SameThread(openEngine({ file, headsFile, signingKey, hasWebhook }));
  const written = await write(ledger);
  await ledger.close();
  return written;
}

const append =
  (count: number, tenant = acme) =>
  (ledger: SameThread) =>
    ledger.ask('appendReceipts', { receipts: Array.from({ length: count }, () => receipt({ tenant })) });

function backup() {
  const { file, headsFile, signingKey } = folder.options;
  return backupLedger({ file, headsFile, publicKeys: [createPublicKey(signingKey)], to, replace: false });
}

function restore(changes: Partial<RestoreOptions> = {}) {
  const { file, headsFile, signingKey } = folder.options;
  const setting = { governance: 'on', profile: 'minimal' } as const;
  return restoreLedger({
    from: to,
    file,
    headsFile,
    signingKey,
    acceptLoss: new Map(),
    setting,
    now,
    ...changes,
  });
}

function edit(sql: string, file = to): void {
  const copy = new Database(file);
  copy.exec(sql);
  copy.close();
}

const shown = 'planted-in-a-preview';
const limits = { maxPending: 9, maxNewPerMinute: 9 };
const ask = (changes: Parameters<typeof draft>[0] = {}) => ({ draft: draft(changes), limits, now });
const holds = (path: string) => readFileSync(path).includes(shown);

const backToSchema6 = `
  PRAGMA secure_delete = ON;
  DROP TABLE deliveries; DROP TABLE open_calls;
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
    session(async (ledger) => {
      await append(1)(ledger);
      await ledger.ask('createApproval', ask({ arguments_preview: `{"path":"${shown}"}` }));
    }),
  );

  it('are not in a backup: a restore ends every approval that needs one', async () => {
    expect(holds(folder.options.file)).toBe(true);
    await backup();
    expect(holds(to)).toBe(false);
    expect(holds(folder.options.file)).toBe(true);
  });

  it('are not in a backup of an earlier schema, which has them in its approvals', async () => {
    edit(backToSchema6, folder.options.file);
    expect(holds(folder.options.file)).toBe(true);
    await backup();
    expect(holds(to)).toBe(false);
  });

  it('that are in an older backup are not in what is restored from it', async () => {
    await backup();
    edit(`INSERT OR REPLACE INTO approval_previews SELECT approval_id, '${shown}' FROM approvals`);
    expect(holds(to)).toBe(true);
    const done = restore();
    expect(done).toMatchObject({ kind: 'restored' });
    expect(holds(folder.options.file)).toBe(false);
  });
});

const messaged = <T>(write: (ledger: SameThread) => Promise<T>) => session(write, true);

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
    const unannounced = await session(created);
    await backup();
    expect(restore({ now: now + 1 })).toMatchObject({ kind: 'restored' });
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
    const id = await session(async (ledger) => {
      await append(1)(ledger);
      return created(ledger);
    });
    await backup();
    edit(backToSchema6);
    expect(holds(to)).toBe(true);
    expect(restore()).toMatchObject({ kind: 'restored' });
    expect(holds(folder.options.file)).toBe(false);
    const approvals = await session((ledger) => ledger.ask('listApprovals', { tenant: acme, limit: 9 }));
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
      session(async (ledger) => {
        const group = { tenant, run: at, count: 3, events_json: 'sealed' };
        const [first] = await ledger.ask('appendEvents', { groups: [group], now });
        return first;
      });
    await session(append(1));
    await place(acme, run('a'));
    await backup();
    for (let n = 0; n < 5; n += 1) await place(acme, run('a'));
    const [lostA, lostB] = [await place(acme, run('a')), await place(acme, run('b'))];
    await session(append(1, beta));
    const lostBeta = await place(beta, run('c'));
    expect(restore({ acceptLoss: new Map([['beta', 1]]) })).toMatchObject({ kind: 'restored' });
    const read = await session((ledger) =>
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
