import {
  InstanceId,
  type ApprovalDraft,
  type ApprovalStatus,
  type CallDecision,
  type Caller,
  type CatalogEntry,
  type CatalogServer,
  type EventRun,
  type HostCall,
  type HostItemRequest,
  type NotedEvent,
  type ReceiptBody,
  type RunId,
  type TenantId,
} from '@uar/contracts';
import { WaitingRoom } from '../approval/waiting-room.js';
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
import type { EventSink } from '../event/ports.js';
import { leaves, limitsOf, wholeRun, type EffectiveRun, type ScopedTool } from '../run/effective-run.js';
import type { Entered, RunDenial, Runs } from '../run/runs.js';
import { entry } from './entry.fixture.js';
import { ItemPdpInMemory } from './item-pdp.fixture.js';
import { HandClock, allowed, caller, runId, tenant, viewOf } from './facts.fixture.js';

/** What the pipeline asks, as plain values in memory. */
export class PortsInMemory
  extends ItemPdpInMemory
  implements Catalog, Schemas, Pdp, Approvals, Hosts, Receipts, Runs, EventSink
{
  readonly clock = new HandClock();
  entries: CatalogEntry[] = [entry('read'), entry('write', { capabilities: ['write'] })];
  instances = [InstanceId.parse('a'.repeat(16)), InstanceId.parse('b'.repeat(16))];
  isServed = true;
  placement: NonNullable<CatalogServer['placement']> = 'shared';
  /** Where its server acts for the caller. */
  callerToken: (() => Promise<string | undefined>) | undefined;
  checked: Checked | Unavailable = { kind: 'fits' };
  visible: 'visible' | 'hidden' | Unavailable = 'visible';
  decideWith: (ask: DecisionAsk) => CallDecision | Unavailable | Promise<CallDecision | Unavailable> = () =>
    allowed;
  granted: 'granted' | 'refused' | 'unavailable' = 'granted';
  limitedBy: number | undefined;
  reply: (call: HostCall | HostItemRequest, instance: string) => HostReply | Promise<HostReply> = () => ({
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
  readonly itemRuns: { request: HostItemRequest; instance: string }[] = [];
  readonly runs: { call: HostCall; instance: string; withinMs: number }[] = [];
  readonly cancels: string[] = [];
  readonly written: ReceiptBody[] = [];
  readonly limits: ReceiptBody[] = [];
  readonly records = new Map<string, { draft: ApprovalDraft; status: ApprovalStatus }>();
  readonly ends: string[] = [];
  /** Of all runs, in order. */
  readonly events: { runId: string | undefined; event: NotedEvent }[] = [];
  readonly faults: unknown[] = [];
  readonly room = new WaitingRoom();
  private readonly settled = new Map<string, (status: ApprovalStatus) => void>();
  private readonly progress = new Map<string, (paramsJson: string) => void>();

  settle(approvalId: string, status: ApprovalStatus, tell = true): void {
    const waiting = this.room.all().find((it) => it.approvalId === approvalId);
    if (status === 'approved' && waiting !== undefined)
      waiting.call.release = { approvers: [caller.principal], requested_at: 1 };
    this.record(approvalId, status, tell);
  }

  /** What stands in the ledger, whatever was reviewed here. */
  record(approvalId: string, status: ApprovalStatus, tell = true): void {
    const record = this.records.get(approvalId);
    if (record === undefined) throw new Error('no such record');
    record.status = status;
    if (tell) this.settled.get(approvalId)?.(status);
  }

  note({ run }: { readonly run?: EventRun }, event: NotedEvent): void {
    this.events.push({ runId: run?.run_id, event });
  }

  /** What was noted, as `type outcome-or-status`. */
  get noted(): string[] {
    return this.events.map(({ event: { type, data_json } }) => {
      const { outcome, kind, status } = JSON.parse(data_json);
      return [type, outcome ?? kind ?? status].filter((it) => it !== undefined).join(' ');
    });
  }

  sayProgress(callId: string, paramsJson: string): void {
    this.progress.get(callId)?.(paramsJson);
  }

  find(_: TenantId, name: string): CatalogEntry | undefined {
    return this.entries.find((it) => it.name === name);
  }

  server(_: TenantId, name: string): CatalogServer | undefined {
    const { isServed, instances, placement } = this;
    const takes_caller_token = this.callerToken !== undefined;
    return isServed
      ? { tenant, name, host: 'mcp', status: 'ready', instances, placement, takes_caller_token }
      : undefined;
  }

  async check(): Promise<Checked | Unavailable> {
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

  async status({ approval_id }: { approval_id: string }) {
    const record = this.records.get(approval_id);
    if (record === undefined) return { kind: 'not_found' as const };
    return { kind: 'found' as const, status: record.status };
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

  async run({ instance }: { instance: string }, call: HostCall, withinMs: number): Promise<HostReply> {
    this.runs.push({ call, instance, withinMs });
    return this.reply(call, instance);
  }

  async runItem({ instance }: { instance: string }, request: HostItemRequest): Promise<HostReply> {
    this.itemRuns.push({ request, instance });
    return this.reply(request, instance);
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
