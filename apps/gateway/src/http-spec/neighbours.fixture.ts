import { createHash } from 'node:crypto';
import { createHub, type Bus, type Hub } from '@uar/bus';
import {
  ApprovalView,
  CatalogEntry,
  TenantId,
  appendReceipts,
  approvalSettled,
  authorizeActions,
  callProgressed,
  castVote,
  catalogChanged,
  claimKey,
  consumeApproval,
  createApproval,
  decideCall,
  deleteServer,
  discoverTools,
  endApproval,
  hosts,
  issueGrant,
  keepCall,
  listApprovals,
  listReceipts,
  listServers,
  patchServer,
  policiesChanged,
  principalId,
  probeServer,
  putServer,
  readApproval,
  readCatalog,
  readGovernanceStatus,
  readHealth,
  readKeptCall,
  readLedgerStatus,
  readReceipt,
  readRelease,
  reviewVotes,
  verifyReceipts,
  writeIntent,
  type ActionQuestion,
  type AnswerOf,
  type ApprovalDraft,
  type ApprovalStatus,
  type AskOf,
  type CallDecision,
  type Caller,
  type HostAnswer,
  type HostCall,
  type Principal,
  type Receipt,
  type ReceiptBody,
  type ReceiptPosition,
  type ToolFacts,
} from '@uar/contracts';
import type { Log } from '@uar/telemetry';

type Ask = AskOf<typeof decideCall>;

export const decided = { policy_version: 'v1', determining: ['p/one'], governance: 'on' as const };

export function allow(ask: Ask): CallDecision {
  if (ask.approval !== undefined) return { kind: 'allow', ...decided, ticket: 'ticket' };
  return { kind: 'allow', ...decided, ...(ask.target === undefined ? {} : { grant: 'grant' }) };
}

/** Asks one human; one approving vote releases. */
export function oneHuman(ask: Ask): CallDecision {
  const released = (ask.approval?.approvers.length ?? 0) > 0;
  if (released) return { kind: 'allow', ...decided, ticket: 'ticket' };
  return { kind: 'require_approval', ...decided, quorum: 1, reasons: ['somebody must look'] };
}

export function entry(
  rawName: string,
  changes: Partial<ToolFacts> = {},
  inputSchema: object = { type: 'object' },
) {
  const definition_json = JSON.stringify({ name: rawName, description: `does ${rawName}`, inputSchema });
  const definition_digest = `sha256:${createHash('sha256').update(definition_json).digest('hex')}`;
  return CatalogEntry.parse({
    name: `srv__${rawName}`,
    host: 'mcp',
    definition_json,
    state: 'available',
    timeout_ms: 5_000,
    facts: {
      tenant: 'default',
      server: 'srv',
      raw_name: rawName,
      source: 'mcp',
      family: 'mcp',
      capabilities: ['read'],
      risk: 1,
      read_only: true,
      destructive: false,
      idempotent: true,
      open_world: false,
      hints_trusted: true,
      enabled: true,
      pinned: true,
      quorum: 1,
      labels: [],
      extractors: { paths: [], hosts: [], recipients: [] },
      secret_pointers: [],
      definition_digest,
      ...changes,
    },
  });
}

interface Record {
  readonly draft: ApprovalDraft;
  status: ApprovalStatus;
  readonly approvers: Principal[];
}

/** The halves of the other services that the gateway needs, kept in memory; what they do can be set by a spec. */
export class Neighbours {
  readonly hub: Hub = createHub();
  readonly gatewayBus: Bus;
  readonly instance;
  decide: (ask: Ask) => CallDecision | Promise<CallDecision> = allow;
  discovers: (tool: ToolFacts, caller: Caller) => boolean = () => true;
  may: (question: ActionQuestion, caller: Caller) => boolean = () => true;
  run: (call: HostCall) => HostAnswer | Promise<HostAnswer> = (call) => ({
    kind: 'ran',
    result_json: `{"content":[{"type":"text","text":${JSON.stringify(call.arguments_json)}}]}`,
    is_error: false,
  });
  put: (ask: AskOf<typeof putServer>) => AnswerOf<typeof putServer> = () => ({
    kind: 'bad_shape',
    message: 'not set',
  });
  entries: CatalogEntry[] = [];
  readonly calls: HostCall[] = [];
  readonly cancelled: string[] = [];
  readonly receipts: Receipt[] = [];
  readonly records = new Map<string, Record>();
  readonly kept = new Map<string, { principal: string; view_json: string }>();
  private readonly keys = new Map<
    string,
    { request_digest: string; call_id: AskOf<typeof claimKey>['call_id'] }
  >();
  private readonly pdp: Bus;
  private readonly registry: Bus;
  private readonly approvals: Bus;
  private readonly host: Bus;
  private version = 1;

  constructor(log: Log) {
    this.gatewayBus = this.hub.connect({ service: 'gateway', log });
    this.pdp = this.hub.connect({ service: 'governance-decider', log });
    this.registry = this.hub.connect({ service: 'catalog-registry', log });
    this.approvals = this.hub.connect({ service: 'approval-service', log });
    this.host = this.hub.connect({ service: 'mcp-connector', log });
    this.instance = this.host.instance;
    this.answerPolicy();
    this.answerCatalog();
    this.answerApprovals();
    this.answerLedger();
    this.host.answer(hosts.mcp.run, async (call) => {
      this.calls.push(call);
      return this.run(call);
    });
    this.host.answer(hosts.mcp.cancel, ({ call_id }) => {
      this.cancelled.push(call_id);
      return { found: true };
    });
  }

  get outcomes(): (string | undefined)[] {
    return this.receipts.filter(({ kind }) => kind === 'outcome').map(({ outcome }) => outcome);
  }

  policiesChanged(): void {
    this.pdp.announce(policiesChanged, { tenant: TenantId.parse('default'), version: 'v2' });
  }

  catalogChanged(entries: CatalogEntry[]): void {
    const previous = `boot.${this.version++}`;
    const removed = this.entries.map(({ name }) => `default/${name}`);
    this.entries = entries;
    this.registry.announce(catalogChanged, {
      version: `boot.${this.version}`,
      previous,
      changes: { upserted: entries, removed, servers: [], servers_removed: [] },
    });
  }

  progress(callId: AskOf<typeof hosts.mcp.cancel>['call_id'], params: object): void {
    this.host.announce(callProgressed, { call_id: callId, params_json: JSON.stringify(params) });
  }

  /** No decider answers from now on. */
  async stopPdp(): Promise<void> {
    await this.pdp.close();
  }

  async stopLedger(): Promise<void> {
    await this.approvals.close();
  }

  async stopHost(): Promise<void> {
    await this.host.close();
  }

  settle(approvalId: string, status: ApprovalStatus): void {
    const record = this.records.get(approvalId);
    if (record === undefined) throw new Error('no such approval');
    record.status = status;
    const { approval_id, call_id } = record.draft;
    this.approvals.announce(approvalSettled, {
      tenant: TenantId.parse('default'),
      approval_id,
      call_id,
      status,
    });
  }

  view({ draft, status }: Record): ApprovalView {
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
    const hash = `sha256:${createHash('sha256').update(JSON.stringify(body)).digest('hex')}`;
    this.receipts.push({ ...body, seq, hash, prev_hash: `sha256:${'0'.repeat(64)}` });
    return { seq, hash };
  }

  private answerPolicy(): void {
    this.pdp.answer(decideCall, (ask) => this.decide(ask));
    this.pdp.answer(issueGrant, () => ({ kind: 'granted', grant: 'grant' }));
    this.pdp.answer(discoverTools, ({ caller, tools }) => ({
      policy_version: 'v1',
      tools: tools.map((tool) =>
        this.discovers(tool, caller) ? { kind: 'visible', approval: 'maybe' } : { kind: 'hidden' },
      ),
    }));
    this.pdp.answer(authorizeActions, ({ caller, questions }) => ({
      policy_version: 'v1',
      decisions: questions.map((question) =>
        this.may(question, caller) ? { kind: 'allow' } : { kind: 'deny', cause: 'no', determining: [] },
      ),
    }));
    this.pdp.answer(readGovernanceStatus, () => ({
      governance: 'on',
      sets: [{ tenant: TenantId.parse('default'), version: 'v1', loaded: true, policies: 1 }],
    }));
  }

  private answerCatalog(): void {
    const tenant = TenantId.parse('default');
    this.registry.answer(readCatalog, () => ({
      version: `boot.${this.version}`,
      entries: this.entries,
      servers: [{ tenant, name: 'srv', host: 'mcp', status: 'ready', instances: [this.instance] }],
    }));
    this.registry.answer(listServers, () => ({ servers: [] }));
    this.registry.answer(putServer, (ask) => this.put(ask));
    this.registry.answer(patchServer, () => ({ kind: 'not_found', message: 'no' }));
    this.registry.answer(deleteServer, () => ({ kind: 'not_found', message: 'no' }));
    this.registry.answer(probeServer, () => ({ kind: 'not_found', message: 'no' }));
    this.registry.answer(readHealth, () => ({ total_tools: 0, connected: 0, servers: [] }));
  }

  private answerApprovals(): void {
    const bus = this.approvals;
    bus.answer(createApproval, (draft) => {
      const record: Record = { draft, status: 'pending', approvers: [] };
      this.records.set(draft.approval_id, record);
      return { kind: 'created', approval: this.view(record) };
    });
    bus.answer(castVote, (ask) => this.vote(ask));
    bus.answer(readApproval, ({ approval_id }) => {
      const record = this.records.get(approval_id);
      return record ? { kind: 'found', approval: this.view(record) } : { kind: 'not_found' };
    });
    bus.answer(listApprovals, () => ({ approvals: [...this.records.values()].map((it) => this.view(it)) }));
    bus.answer(readRelease, ({ approval_id }) => {
      const record = this.records.get(approval_id);
      if (record === undefined) return { kind: 'not_found' };
      return { kind: 'found', status: record.status, approvers: record.approvers, requested_at: 1 };
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
    const reply = await this.approvals.ask(reviewVotes, review, { to: gateway });
    if (reply.kind === 'fault') return { kind: 'unavailable' };
    record.approvers.push(ask.caller.principal);
    if (reply.value.kind === 'released') this.settle(approval_id, 'approved');
    return { kind: 'counted', approval: this.view(record) };
  }

  private answerLedger(): void {
    const bus = this.approvals;
    bus.answer(writeIntent, (body) => this.append(body));
    bus.answer(appendReceipts, ({ receipts }) => ({ positions: receipts.map((body) => this.append(body)) }));
    bus.answer(listReceipts, ({ after, limit }) => {
      const page = this.receipts.slice(after, after + limit);
      const last = page.at(-1)?.seq;
      return last === undefined || last === this.receipts.length
        ? { receipts: page }
        : { receipts: page, next: last };
    });
    bus.answer(readReceipt, ({ seq }) => {
      const receipt = this.receipts[seq - 1];
      return receipt === undefined ? { kind: 'not_found' } : { kind: 'found', receipt };
    });
    bus.answer(verifyReceipts, () => ({
      ok: true,
      length: this.receipts.length,
      head: `sha256:${'0'.repeat(64)}`,
    }));
    bus.answer(readLedgerStatus, () => ({ writable: true }));
    bus.answer(keepCall, ({ call_id, principal, view_json }) => {
      this.kept.set(call_id, { principal, view_json });
      return { kept: true };
    });
    bus.answer(readKeptCall, ({ call_id }) => {
      const kept = this.kept.get(call_id);
      return kept === undefined ? { kind: 'not_found' } : { kind: 'found', ...kept };
    });
    bus.answer(claimKey, ({ principal, key, request_digest, call_id }) => {
      const place = `${principal} ${key}`;
      const known = this.keys.get(place);
      if (known === undefined) {
        this.keys.set(place, { request_digest, call_id });
        return { kind: 'claimed' };
      }
      return known.request_digest === request_digest
        ? { kind: 'same', call_id: known.call_id }
        : { kind: 'other_request' };
    });
  }
}
