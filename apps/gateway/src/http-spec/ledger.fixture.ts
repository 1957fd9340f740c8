import { hash } from 'node:crypto';
import type { Bus } from '@uar/bus';
import {
  TenantId,
  appendReceipts,
  claimKey,
  keepCall,
  listReceipts,
  readKeptCall,
  readLedgerStatus,
  putRun,
  readReceipt,
  readRun,
  readSettings,
  runChanged,
  settingsChanged,
  verifyReceipts,
  writeIntent,
  writeSetting,
  type AskOf,
  type InstanceId,
  type Receipt,
  type ReceiptBody,
  type ReceiptCheckpoint,
  type ReceiptPosition,
  type Setting,
  type StoredRun,
} from '@uar/contracts';
import { MemoryApprovals } from './approvals.fixture.js';
import { MemoryEvents } from './events.fixture.js';

const mostViewBytes = 1024 * 1024;

/** The approval-service's half, kept in memory. */
export class MemoryLedger {
  readonly receipts: Receipt[] = [];
  /** Stands for the first receipts, which are there no more. */
  checkpoint: ReceiptCheckpoint | undefined;
  /** Pages of receipts that were read. */
  pages = 0;
  readonly kept = new Map<string, { principal: string; view_json: string; pending_at?: InstanceId }>();
  readonly settings = new Map<string, Setting>();
  readonly approvals: MemoryApprovals;
  readonly events: MemoryEvents;
  readonly runs = new Map<string, { run: StoredRun; revision: number }>();
  /** Views of calls are kept. */
  keeps = true;
  /** Views that were not. */
  unkept = 0;
  /** Claims that are written and not answered, from now on. */
  lostClaims = 0;
  private readonly keys = new Map<
    string,
    { request_digest: string; call_id: AskOf<typeof claimKey>['call_id'] }
  >();

  constructor(readonly bus: Bus) {
    this.approvals = new MemoryApprovals(bus, (intent) => this.append(intent));
    this.events = new MemoryEvents(bus);
    this.answerLedger();
    this.answerKeptCalls();
    this.answerSettings();
    this.answerRuns();
  }

  append(body: ReceiptBody): ReceiptPosition {
    const seq = this.receipts.length + 1;
    const digest = `sha256:${hash('sha256', JSON.stringify(body), 'hex')}`;
    this.receipts.push({ ...body, seq, hash: digest, prev_hash: `sha256:${'0'.repeat(64)}` });
    return { seq, hash: digest };
  }

  private answerLedger(): void {
    const { bus } = this;
    bus.answer(writeIntent, ({ receipt }) => this.append(receipt));
    bus.answer(appendReceipts, ({ receipts }) => ({ positions: receipts.map((body) => this.append(body)) }));
    bus.answer(listReceipts, ({ after, limit }) => {
      this.pages += 1;
      const { checkpoint } = this;
      const start = Math.max(after, checkpoint?.through_seq ?? 0);
      const page = this.receipts.slice(start, start + limit);
      const last = page.at(-1)?.seq;
      const next = last === undefined || last === this.receipts.length ? {} : { next: last };
      return { receipts: page, ...next, ...(checkpoint === undefined ? {} : { checkpoint }) };
    });
    bus.answer(readReceipt, ({ seq }) => {
      const through_seq = this.checkpoint?.through_seq ?? 0;
      if (seq <= through_seq) return { kind: 'truncated', through_seq };
      const receipt = this.receipts[seq - 1];
      return receipt === undefined ? { kind: 'not_found' } : { kind: 'found', receipt };
    });
    bus.answer(verifyReceipts, () => ({
      ok: true,
      length: this.receipts.length,
      head: `sha256:${'0'.repeat(64)}`,
    }));
    bus.answer(readLedgerStatus, () => ({ writable: true }));
  }

  private answerKeptCalls(): void {
    const { bus } = this;
    bus.answer(keepCall, ({ call_id, principal, view_json, pending_at }) => {
      if (!this.keeps || Buffer.byteLength(view_json) > mostViewBytes) {
        this.unkept += 1;
        return { kept: false };
      }
      this.kept.set(call_id, { principal, view_json, ...(pending_at !== undefined && { pending_at }) });
      return { kept: true };
    });
    bus.answer(readKeptCall, ({ call_id }) => {
      const kept = this.kept.get(call_id);
      return kept === undefined ? { kind: 'not_found' } : { kind: 'found', ...kept };
    });
    bus.answer(claimKey, ({ principal, key, request_digest, call_id, instead_of }) => {
      const place = `${principal} ${key}`;
      const known = this.keys.get(place);
      if (known !== undefined) {
        if (known.request_digest !== request_digest) return { kind: 'other_request' };
        if (known.call_id !== instead_of) return { kind: 'same', call_id: known.call_id };
      }
      this.keys.set(place, { request_digest, call_id });
      if (this.lostClaims-- > 0) throw new Error('the answer was lost');
      return { kind: 'claimed' };
    });
  }

  /** Somebody stored this, whatever it is worth. */
  write(place: { tenant: string; namespace: string; key: string }, value: unknown): void {
    const where = `${place.namespace} ${place.tenant} ${place.key}`;
    const revision = (this.settings.get(where)?.revision ?? 0) + 1;
    const setting: Setting = { ...place, tenant: TenantId.parse(place.tenant), revision, value };
    this.settings.set(where, setting);
    const { tenant, namespace, key } = setting;
    this.bus.announce(settingsChanged, { tenant, namespace, key });
  }

  private answerSettings(): void {
    const { bus } = this;
    bus.answer(readSettings, ({ namespace }) => ({
      settings: [...this.settings.values()].filter((it) => it.namespace === namespace && it.value !== null),
    }));
    bus.answer(writeSetting, ({ tenant, namespace, key, value, if_revision, receipt }) => {
      const place = `${namespace} ${tenant} ${key}`;
      const before = this.settings.get(place);
      const current = before === undefined || before.value === null ? 0 : before.revision;
      if (current !== if_revision) return { kind: 'conflict', revision: current };
      const revision = (before?.revision ?? 0) + 1;
      this.settings.set(place, { tenant, namespace, key, value, revision });
      if (receipt !== undefined) this.append(receipt);
      bus.announce(settingsChanged, { tenant, namespace, key });
      return { kind: 'written', revision };
    });
  }

  private answerRuns(): void {
    const { bus } = this;
    bus.answer(putRun, ({ run, if_revision, receipt }) => {
      const current = this.runs.get(run.run_id)?.revision ?? 0;
      if (current !== if_revision) return { kind: 'conflict', revision: current };
      const revision = current + 1;
      this.runs.set(run.run_id, { run, revision });
      if (receipt !== undefined) this.append(receipt);
      this.events.noteRun(run, revision);
      if (revision > 1) bus.announce(runChanged, { tenant: run.tenant, run_id: run.run_id, revision });
      return { kind: 'written', revision };
    });
    bus.answer(readRun, ({ run_id }) => {
      const found = this.runs.get(run_id);
      return found === undefined ? { kind: 'not_found' } : { kind: 'found', ...found };
    });
  }
}
