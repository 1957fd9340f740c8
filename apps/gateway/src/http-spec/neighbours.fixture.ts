import { randomUUID } from 'node:crypto';
import { createHub, type Bus, type Hub, type Reply } from '@uar/bus';
import {
  TenantId,
  askClient,
  authorizeActions,
  callProgressed,
  catalogChanged,
  decideCall,
  decideChange,
  deleteServer,
  discoverTools,
  hosts,
  issueGrant,
  listChanges,
  listServers,
  patchServer,
  policiesChanged,
  probeServer,
  putServer,
  readCatalog,
  readGovernanceStatus,
  readHealth,
  upstreamNotified,
  withdrawAsk,
  type ActionQuestion,
  type AnswerOf,
  type AskOf,
  type BodyOf,
  type CallDecision,
  type Caller,
  type CatalogEntry,
  type HostAnswer,
  type HostCall,
  type Receipt,
  type ToolFacts,
} from '@uar/contracts';
import type { Log } from '@uar/telemetry';
import { MemoryItems } from './items.fixture.js';
import { MemoryLedger } from './ledger.fixture.js';

type Ask = AskOf<typeof decideCall>;

export const decided = { policy_version: 'v1', determining: ['p/one'], governance: 'on' as const };

function allow(ask: Ask): CallDecision {
  if (ask.approval !== undefined) return { kind: 'allow', ...decided, ticket: 'ticket' };
  return { kind: 'allow', ...decided, ...(ask.target === undefined ? {} : { grant: 'grant' }) };
}

/** Asks one human; one approving vote releases. */
export function oneHuman(ask: Ask): CallDecision {
  const released = (ask.approval?.approvers.length ?? 0) > 0;
  if (released) return { kind: 'allow', ...decided, ticket: 'ticket' };
  return { kind: 'require_approval', ...decided, quorum: 1, reasons: ['somebody must look'] };
}

export type UpstreamAsk = Omit<AskOf<typeof askClient>, 'ask_id'>;
type Announced = BodyOf<typeof upstreamNotified>;
type SeatOf = NonNullable<Announced['seat']>;
type Notified = Pick<Announced, 'method' | 'params_json' | 'call_id'> & {
  readonly server?: string;
  readonly seat?: Omit<SeatOf, 'principal'> & Partial<Pick<SeatOf, 'principal'>>;
};

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
  decideChange: (ask: AskOf<typeof decideChange>) => AnswerOf<typeof decideChange> = () => ({
    kind: 'not_found',
    message: 'no',
  });
  governance: AnswerOf<typeof readGovernanceStatus> = {
    governance: 'on',
    sets: [{ tenant: TenantId.parse('default'), version: 'v1', loaded: true, policies: 1 }],
  };
  entries: CatalogEntry[] = [];
  readonly calls: HostCall[] = [];
  readonly cancelled: string[] = [];
  onCancelled: (callId: string) => void = () => undefined;
  readonly ledger: MemoryLedger;
  readonly items: MemoryItems;
  private readonly pdp: Bus;
  private readonly registry: Bus;
  private readonly host: Bus;
  private version = 1;

  constructor(log: Log) {
    this.gatewayBus = this.hub.connect({ service: 'gateway', log });
    this.pdp = this.hub.connect({ service: 'governance-decider', log });
    this.registry = this.hub.connect({ service: 'catalog-registry', log });
    this.ledger = new MemoryLedger(this.hub.connect({ service: 'approval-service', log }));
    this.host = this.hub.connect({ service: 'mcp-connector', log });
    this.instance = this.host.instance;
    this.items = new MemoryItems({ host: this.host, pdp: this.pdp });
    this.answerPolicy();
    this.answerCatalog();
    this.host.answer(hosts.mcp.run, async (call) => {
      this.calls.push(call);
      return this.run(call);
    });
    this.host.answer(hosts.mcp.cancel, ({ call_id }) => {
      this.cancelled.push(call_id);
      this.onCancelled(call_id);
      return { found: true };
    });
  }

  get receipts(): readonly Receipt[] {
    return this.ledger.receipts;
  }

  get records(): MemoryLedger['approvals']['records'] {
    return this.ledger.approvals.records;
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

  /** What an upstream asks of a client of the gateway. */
  askClient(
    ask: UpstreamAsk,
    { deadlineMs = 30_000, ask_id = randomUUID() as string } = {},
  ): Promise<Reply<typeof askClient>> {
    return this.host.ask(askClient, { ask_id, ...ask }, { to: this.gatewayBus.instance, deadlineMs });
  }

  /** The upstream, or its session, waits for that no more. */
  withdrawAsk(ask: AskOf<typeof withdrawAsk>): Promise<Reply<typeof withdrawAsk>> {
    return this.host.ask(withdrawAsk, ask, { to: this.gatewayBus.instance });
  }

  /** Of the upstream `srv`, and in a seat of ada's, unless it says another. */
  notify({ server = 'srv', seat, ...news }: Notified): void {
    const tenant = TenantId.parse('default');
    const whose = seat && { principal: 'User::"default/ada"', ...seat };
    this.host.announce(upstreamNotified, { tenant, server, ...news, ...(whose && { seat: whose }) });
  }

  /** No decider answers from now on. */
  async stopPdp(): Promise<void> {
    await this.pdp.close();
  }

  async stopLedger(): Promise<void> {
    await this.ledger.bus.close();
  }

  async stopHost(): Promise<void> {
    await this.host.close();
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
    this.pdp.answer(readGovernanceStatus, () => this.governance);
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
    this.registry.answer(listChanges, ({ name }) =>
      name === 'srv' ? { kind: 'listed', changes: [] } : { kind: 'not_found', message: 'no' },
    );
    this.registry.answer(decideChange, (ask) => this.decideChange(ask));
    this.registry.answer(probeServer, () => ({ kind: 'not_found', message: 'no' }));
    this.registry.answer(readHealth, () => ({ total_tools: 0, connected: 0, servers: [] }));
  }
}
