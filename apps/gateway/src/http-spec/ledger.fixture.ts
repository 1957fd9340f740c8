import { hash } from 'node:crypto';
import type { Bus } from '@uar/bus';
import {
  ApprovalView,
  TenantId,
  appendReceipts,
  approvalSettled,
  castVote,
  claimKey,
  consumeApproval,
  createApproval,
  endApproval,
  keepCall,
  listApprovals,
  listReceipts,
  principalId,
  readApproval,
  readKeptCall,
  readLedgerStatus,
  putRun,
  readReceipt,
  readApprovalStatus,
  readRun,
  readSettings,
  reviewVotes,
  runChanged,
  settingsChanged,
  verifyReceipts,
  writeIntent,
  writeSetting,
  type AnswerOf,
  type ApprovalDraft,
  type ApprovalStatus,
  type AskOf,
  type Principal,
  type Receipt,
  type ReceiptBody,
  type ReceiptCheckpoint,
  type ReceiptPosition,
  type Setting,
  type StoredRun,
} from '@uar/contracts';
import { MemoryEvents } from './events.fixture.js';
import { pageOf } from './page.fixture.js';

interface ApprovalRecord {
  readonly draft: ApprovalDraft;
  status: ApprovalStatus;
  readonly approvers: Principal[];
}

/** The approval-service's half, kept in memory. */
export class MemoryLedger {
  readonly receipts: Receipt[] = [];
  /** Approvals on one page of their list. */
  mostListed = Infinity;
  /** Stands for the first receipts, which are there no more. */
  checkpoint: ReceiptCheckpoint | undefined;
  /** Pages of receipts that were read. */
  pages = 0;
  readonly records = new Map<string, ApprovalRecord>();
  readonly kept = new Map<string, { principal: string; view_json: string }>();
  readonly settings = new Map<string, Setting>();
  readonly events: MemoryEvents;
  readonly runs = new Map<string, { run: StoredRun; revision: number }>();
  /** Claims that are written and not answered, from now on. */
  lostClaims = 0;
  private readonly keys = new Map<
    string,
    { request_digest: string; call_id: AskOf<typeof claimKey>['call_id'] }
  >();

  constructor(readonly bus: Bus) {
    this.events = new MemoryEvents(bus);
    this.answerApprovals();
    this.answerLedger();
    this.answerKeptCalls();
    this.answerSettings();
    this.answerRuns();
  }

  settle(approvalId: string, status: ApprovalStatus): void {
    const record = this.records.get(approvalId);
    if (record === undefined) throw new Error('no such approval');
    record.status = status;
    const { approval_id, call_id } = record.draft;
    this.bus.announce(approvalSettled, {
      tenant: TenantId.parse('default'),
      approval_id,
      call_id,
      status,
    });
  }

  view({ draft, status }: ApprovalRecord): ApprovalView {
    return ApprovalView.parse({
      approval_id: draft.approval_id,
      call_id: draft.call_id,
      run_id: draft.run_id,
      tool: draft.tool_name,
      server: draft.tool.server,
      requester: principalId(draft.requester),
      arguments_preview: draft.arguments_preview,
      arguments_digest: draft.arguments_digest,
      definition_digest: draft.tool.definition_digest,
      risk: { level: 'high', reasons: draft.reasons },
      rule: { quorum: draft.quorum, approvers: 'role admin' },
      votes: [],
      status,
      created_at: new Date().toISOString(),
      expires_at: new Date(draft.expires_at).toISOString(),
    });
  }

  append(body: ReceiptBody): ReceiptPosition {
    const seq = this.receipts.length + 1;
    const digest = `sha256:${hash('sha256', JSON.stringify(body), 'hex')}`;
    this.receipts.push({ ...body, seq, hash: digest, prev_hash: `sha256:${'0'.repeat(64)}` });
    return { seq, hash: digest };
  }

  private answerApprovals(): void {
    const { bus } = this;
    bus.answer(createApproval, (draft) => {
      const record: ApprovalRecord = { draft, status: 'pending', approvers: [] };
      this.records.set(draft.approval_id, record);
      return { kind: 'created', approval: this.view(record) };
    });
    bus.answer(castVote, (ask) => this.vote(ask));
    bus.answer(readApproval, ({ approval_id }) => {
      const record = this.records.get(approval_id);
      return record ? { kind: 'found', approval: this.view(record) } : { kind: 'not_found' };
    });
    bus.answer(listApprovals, ({ status, cursor, limit }) => {
      const all = [...this.records.values()].map((it) => this.view(it));
      const wanted = all.filter((it) => status === undefined || it.status === status);
      return pageOf(wanted, { cursor, limit: Math.min(limit, this.mostListed) });
    });
    bus.answer(readApprovalStatus, ({ approval_id }) => {
      const record = this.records.get(approval_id);
      if (record === undefined) return { kind: 'not_found' };
      return { kind: 'found', status: record.status };
    });
    bus.answer(consumeApproval, ({ approval_id, intent }) => {
      const record = this.records.get(approval_id);
      if (record?.status !== 'approved') return { kind: 'refused', status: record?.status ?? 'mismatch' };
      record.status = 'consumed';
      return { kind: 'consumed', intent: this.append(intent) };
    });
    bus.answer(endApproval, ({ approval_id, as }) => {
      const record = this.records.get(approval_id);
      if (record === undefined) throw new Error('no such approval');
      record.status = as === 'spent' ? 'consumed' : as;
      return { status: record.status };
    });
  }

  private async vote(ask: AskOf<typeof castVote>): Promise<AnswerOf<typeof castVote>> {
    const record = this.records.get(ask.approval_id);
    if (record === undefined) return { kind: 'not_found' };
    if (record.status !== 'pending') return { kind: 'not_pending', status: record.status };
    if (ask.decision === 'reject') {
      this.settle(ask.approval_id, 'rejected');
      return { kind: 'counted', approval: this.view(record) };
    }
    const approvers = [...record.approvers, ask.caller.principal];
    const { approval_id, call_id, gateway } = record.draft;
    const review = { approval_id, call_id, approvers, requested_at: 1 };
    const reply = await this.bus.ask(reviewVotes, review, { to: gateway });
    if (reply.kind === 'fault') return { kind: 'unavailable' };
    record.approvers.push(ask.caller.principal);
    if (reply.value.kind === 'released') this.settle(approval_id, 'approved');
    return { kind: 'counted', approval: this.view(record) };
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
    bus.answer(keepCall, ({ call_id, principal, view_json }) => {
      this.kept.set(call_id, { principal, view_json });
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
