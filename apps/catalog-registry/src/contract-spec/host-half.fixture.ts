import { createHash } from 'node:crypto';
import type { Bus } from '@uar/bus';
import { listPage, type HostList, type ListPage } from '@uar/catalog';
import {
  hostBeat,
  hosts,
  readNativeStatements,
  readWantedServers,
  reconnectServer,
  serversChanged,
  tryServer,
  type AnswerOf,
  type AskOf,
  type NativeToolStatement,
  TenantId,
  type ServerReport,
} from '@uar/contracts';

export const tenant = TenantId.parse('default');

type TryAnswer = AnswerOf<typeof tryServer>;

/** A host's half of the contract: serves the tools it is given for each wanted server. */
export class HostHalf {
  readonly tools = new Map<string, readonly object[]>();
  readonly reports = new Map<string, ServerReport>();
  readonly tried: AskOf<typeof tryServer>[] = [];
  tryAnswer: (ask: AskOf<typeof tryServer>) => TryAnswer = ({ connect }) =>
    connect ? { kind: 'connected', tool_count: 1, latency_ms: 3 } : { kind: 'resolved' };
  duplicates: string[] = [];
  statements: Record<string, NativeToolStatement> = {};
  listings = 0;
  /** Told of every page before it is sent. */
  onPage: (page: ListPage) => void = () => undefined;

  constructor(
    readonly bus: Bus,
    private readonly kind: 'mcp' | 'native',
  ) {}

  async open(): Promise<void> {
    this.bus.answer(hosts[this.kind].listTools, (ask) => this.list(ask));
    if (this.kind === 'native')
      this.bus.answer(readNativeStatements, () => ({ statements: this.statements }));
    else this.openUpstreams();
    await this.bus.flush();
  }

  /** Reports the server with these tools, the way a host does that has just connected to it. */
  async serve(name: string, tools: readonly object[], more: Partial<ServerReport> = {}): Promise<void> {
    this.tools.set(name, tools);
    const before = this.reports.get(name);
    const revision = this.kind === 'native' ? 0 : ((await this.wanted(name))?.revision ?? 0);
    this.reports.set(name, {
      ...{ tenant, server: name, revision, status: 'ready', tool_count: tools.length },
      ...{ list_digest: listOf(tools).digest, epoch: (before?.epoch ?? 0) + 1, since: 1_000 },
      ...{ in_flight: 0, restarts: 0, sandbox_effective: 'landlock' },
      ...more,
    });
    this.beat();
  }

  beat(stopping = false): void {
    const servers = [...this.reports.values()];
    this.bus.announce(hostBeat, {
      host: this.kind,
      instance: this.bus.instance,
      at: Date.now(),
      stopping,
      servers,
    });
  }

  async wanted(name: string) {
    const reply = await this.bus.ask(readWantedServers, {});
    if (reply.kind === 'fault') throw new Error(reply.message);
    return reply.value.servers.find((server) => server.name === name);
  }

  private openUpstreams(): void {
    this.bus.answer(tryServer, (ask) => {
      this.tried.push(ask);
      return this.tryAnswer(ask);
    });
    this.bus.answer(reconnectServer, ({ server }) => {
      const report = this.reports.get(server);
      return report === undefined ? { kind: 'not_owner' } : { kind: 'reconnected', report };
    });
    this.bus.listen(serversChanged, ({ name }) => {
      const tools = this.tools.get(name);
      if (tools !== undefined) void this.serve(name, tools);
    });
  }

  private list({ server, from }: AskOf<typeof hosts.mcp.listTools>): AnswerOf<typeof hosts.mcp.listTools> {
    this.listings += 1;
    const tools = this.tools.get(server);
    if (tools === undefined) return { kind: 'not_owner' };
    const page = listPage({ ...listOf(tools), duplicates: this.duplicates }, from);
    this.onPage(page);
    return page;
  }
}

type List = Pick<HostList, 'digest' | 'definitions'>;
const lists = new WeakMap<readonly object[], List>();

function listOf(tools: readonly object[]): List {
  const known = lists.get(tools);
  if (known !== undefined) return known;
  const definitions = tools.map((tool) => JSON.stringify(tool));
  const list = { digest: createHash('sha256').update(definitions.join('\n')).digest('hex'), definitions };
  lists.set(tools, list);
  return list;
}
