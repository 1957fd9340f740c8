import {
  CallId,
  InstanceId,
  type ApprovalDraft,
  type ApprovalStatus,
  type CallDecision,
  type Caller,
  type CatalogEntry,
  type HostCall,
  type ReceiptBody,
  type RunId,
  type TenantId,
} from '@uar/contracts';
import { ApprovalStage } from '../approval/approval-stage.js';
import { Release } from '../approval/release.js';
import { VoteReview } from '../approval/vote-review.js';
import { WaitingRoom } from '../approval/waiting-room.js';
import { PermissionStage } from '../call/permission.js';
import { Pipeline } from '../call/pipeline.js';
import type {
  Approvals,
  CallLimits,
  Catalog,
  Checked,
  DecisionAsk,
  HostReply,
  Hosts,
  Pdp,
  Receipts,
  Schemas,
  Unavailable,
} from '../call/ports.js';
import type { CallHandle, ProposedCall } from '../call/proposed-call.js';
import { Slots } from '../call/slots.js';
import { Staging } from '../call/staging.js';
import { Dispatcher } from '../dispatch/dispatcher.js';
import { Placement } from '../dispatch/placement.js';
import { leaves, limitsOf, wholeRun, type EffectiveRun, type ScopedTool } from '../run/effective-run.js';
import type { Entered, RunDenial, Runs } from '../run/runs.js';
import { entry } from './entry.fixture.js';
import {
  HandClock,
  allowed,
  caller,
  hex,
  needsHuman,
  runId,
  settle,
  tenant,
  viewOf,
} from './facts.fixture.js';

/** The pipeline over ports that are plain values in memory. */
export class World implements Catalog, Schemas, Pdp, Approvals, Hosts, Receipts, Runs {
  readonly clock = new HandClock();
  entries: CatalogEntry[] = [entry('read'), entry('write', { capabilities: ['write'] })];
  instances = [InstanceId.parse('a'.repeat(16)), InstanceId.parse('b'.repeat(16))];
  checked: Checked = { kind: 'fits' };
  visible: 'visible' | 'hidden' | Unavailable = 'visible';
  decideWith: (ask: DecisionAsk) => CallDecision | Unavailable | Promise<CallDecision | Unavailable> = () =>
    allowed;
  granted: 'granted' | 'refused' | 'unavailable' = 'granted';
  limitedBy: number | undefined;
  reply: (call: HostCall, instance: string) => HostReply | Promise<HostReply> = () => ({
    kind: 'ran',
    result_json: '{"content":[]}',
    is_error: false,
  });
  isAccepting = true;
  callLimits: CallLimits = { refusal: () => undefined };
  /** What the scopes of the one run leave now. */
  scopes: EffectiveRun = wholeRun;
  runDenied: RunDenial | undefined;
  ledger = true;
  readonly decisions: DecisionAsk[] = [];
  readonly runs: { call: HostCall; instance: string }[] = [];
  readonly cancels: string[] = [];
  readonly written: ReceiptBody[] = [];
  readonly limits: ReceiptBody[] = [];
  readonly records = new Map<string, { draft: ApprovalDraft; status: ApprovalStatus }>();
  readonly ends: string[] = [];
  readonly faults: unknown[] = [];
  readonly room = new WaitingRoom();
  private readonly settled = new Map<string, (status: ApprovalStatus) => void>();
  private readonly progress = new Map<string, (paramsJson: string) => void>();
  private ids = 0;
  readonly pipeline = this.assembled(8);
  readonly votesReview = new VoteReview(this.room, this);

  propose(tool = 'srv__read', changes: Partial<ProposedCall> = {}): CallHandle {
    return this.pipeline.propose({ caller, toolName: tool, argumentsJson: '{"a":1}', ...changes });
  }

  /** Proposes a call and lets it come to wait for a human. */
  async waiting(changes: Partial<ProposedCall> = {}): Promise<{ handle: CallHandle; approvalId: string }> {
    this.decideWith = needsHuman;
    const handle = this.propose('srv__write', changes);
    await settle();
    return { handle, approvalId: [...this.records.keys()].at(-1) ?? '' };
  }

  settle(approvalId: string, status: ApprovalStatus, tell = true): void {
    const record = this.records.get(approvalId);
    if (record === undefined) throw new Error('no such record');
    record.status = status;
    if (tell) this.settled.get(approvalId)?.(status);
  }

  sayProgress(callId: string, paramsJson: string): void {
    this.progress.get(callId)?.(paramsJson);
  }

  assembled(most: number): Pipeline {
    const setting = {
      profile: 'minimal' as const,
      governance: 'on' as const,
      digest: () => `sha256:${'0'.repeat(64)}`,
    };
    const placement = new Placement(this, this.clock);
    const slots = new Slots(most);
    const fault = (error: unknown): string => `fault_${this.faults.push(error)}`;
    const ports = { pdp: this, approvals: this, catalog: this, runs: this };
    const common = { ...ports, placement, clock: this.clock, setting };
    const approvalStage = new ApprovalStage({
      ...common,
      room: this.room,
      release: new Release(common),
      slots,
      gateway: InstanceId.parse('f'.repeat(16)),
      timeoutMs: 300_000,
      newApprovalId: () => `appr_${hex(++this.ids)}`,
    });
    return new Pipeline({
      ...common,
      staging: new Staging({ ...common, schemas: this, mostArgumentBytes: 1_024 }),
      permission: new PermissionStage({ ...common, receipts: this, approvals: approvalStage }),
      dispatcher: new Dispatcher({
        hosts: this,
        placement,
        clock: this.clock,
        fault,
        mostResultBytes: 1_000,
      }),
      receipts: this,
      room: this.room,
      limits: this.callLimits,
      slots,
      fault,
      onEnd: () => undefined,
      newCallId: () => CallId.parse(`call_${hex(++this.ids)}`),
    });
  }

  find(_: TenantId, name: string): CatalogEntry | undefined {
    return this.entries.find((it) => it.name === name);
  }

  server(_: TenantId, name: string) {
    return { tenant, name, host: 'mcp' as const, status: 'ready' as const, instances: this.instances };
  }

  check(): Checked {
    return this.checked;
  }

  async decide(ask: DecisionAsk) {
    this.decisions.push(ask);
    return this.decideWith(ask);
  }

  async discovers() {
    return this.visible;
  }

  async grant() {
    switch (this.granted) {
      case 'granted':
        return { kind: 'granted' as const, grant: 'second grant' };
      case 'refused':
        return { kind: 'refused' as const, cause: 'old' };
      case 'unavailable':
        return { kind: 'unavailable' as const, cause: 'pdp' };
    }
  }

  async create(draft: ApprovalDraft) {
    if (this.limitedBy !== undefined) return { kind: 'limited' as const, retry_after_ms: this.limitedBy };
    const record = { draft, status: 'pending' as ApprovalStatus };
    this.records.set(draft.approval_id, record);
    return { kind: 'created' as const, approval: viewOf(draft, 'pending') };
  }

  async votes({ approval_id }: { approval_id: string }) {
    const record = this.records.get(approval_id);
    if (record === undefined) return { kind: 'not_found' as const };
    return { kind: 'found' as const, status: record.status, approvers: [caller.principal], requested_at: 1 };
  }

  async consume({
    approval_id,
    intent,
  }: Parameters<Approvals['consume']>[0]): ReturnType<Approvals['consume']> {
    const record = this.records.get(approval_id);
    if (record?.status !== 'approved') return { kind: 'refused', status: record?.status ?? 'mismatch' };
    record.status = 'consumed';
    this.written.push(intent);
    return { kind: 'consumed', intent: this.position() };
  }

  async end(approvalId: string, as: string): Promise<void> {
    this.ends.push(as);
    const record = this.records.get(approvalId);
    if (record !== undefined && as !== 'spent') record.status = as === 'expired' ? 'expired' : 'cancelled';
  }

  async view(_: Caller, approvalId: string) {
    const record = this.records.get(approvalId);
    return record === undefined ? undefined : viewOf(record.draft, record.status);
  }

  onSettled(approvalId: string, listener: (status: ApprovalStatus) => void): () => void {
    this.settled.set(approvalId, listener);
    return () => this.settled.delete(approvalId);
  }

  async run({ instance }: { instance: string }, call: HostCall): Promise<HostReply> {
    this.runs.push({ call, instance });
    return this.reply(call, instance);
  }

  cancel(_: unknown, callId: string): void {
    this.cancels.push(callId);
  }

  onProgress(callId: string, listener: (paramsJson: string) => void): () => void {
    this.progress.set(callId, listener);
    return () => this.progress.delete(callId);
  }

  accepting(): boolean {
    return this.isAccepting;
  }

  async intent(body: ReceiptBody) {
    if (!this.ledger) return { kind: 'unavailable' as const, cause: 'ledger' };
    this.written.push(body);
    return this.position();
  }

  async outcome(body: ReceiptBody) {
    this.written.push(body);
    return this.position();
  }

  limited(body: ReceiptBody): void {
    this.limits.push(body);
  }

  implicit(): RunId {
    return runId;
  }

  enter(_: unknown, named?: string): Entered {
    if (this.runDenied !== undefined) return { kind: 'denied', cause: this.runDenied };
    if (named !== undefined && named !== runId) return { kind: 'denied', cause: 'not_its_run' };
    const limits = limitsOf(this.scopes);
    return { kind: 'entered', frame: { runId, effective: this.scopes, ...(limits && { limits }) } };
  }

  lost(_: unknown, tool: ScopedTool): ReturnType<Runs['lost']> {
    if (this.runDenied !== undefined) return this.runDenied;
    return leaves(this.scopes, tool) ? undefined : 'not_in_run';
  }

  private position() {
    return { seq: this.written.length, hash: `sha256:${'0'.repeat(64)}` };
  }
}
