import type { HealthView, ServerHealth, ServerView, TenantId } from '@uar/contracts';
import type { z } from 'zod';
import type { HostBeat, HostTable } from './hosts/host-table.js';
import { Settling } from './hosts/settling.js';
import {
  catalogServer,
  healthOf,
  servingReports,
  standingOf,
  type ServerFacts,
  type Standing,
} from './hosts/standing.js';
import type { DefinitionChanges } from './changes/definition-changes.js';
import type { Journal } from './ports.js';
import {
  partsOf,
  serverKey,
  type DesiredServer,
  type DesiredServers,
  type ServerKey,
} from './servers/desired-servers.js';
import { serverView } from './servers/server-view.js';
import type { CatalogBook, CatalogChange, CatalogPage } from './tools/catalog-book.js';
import { nativeEntries, upstreamEntries } from './tools/entries.js';
import type { ExaminedTool } from './tools/examined-tools.js';
import type { Examiner } from './tools/examiner.js';
import type { ListReader, ReadAttempt } from './tools/list-reader.js';
import type { ToolList } from './tools/tool-list.js';

export interface RegistryParts {
  readonly desired: DesiredServers;
  readonly table: HostTable;
  readonly book: CatalogBook;
  readonly examiner: Examiner;
  readonly changes: DefinitionChanges;
  readonly reader: ListReader;
  readonly journal: Journal;
  readonly announce: (change: CatalogChange) => void;
}

const nativeServer = 'native';

/** What exists: the wanted servers, what hosts say of them, and the catalog that follows from both. */
export class Registry {
  private readonly lists = new Map<ServerKey, Map<string, ToolList>>();
  private readonly shown = new Map<ServerKey, ToolList>();
  private readonly problems = new Map<ServerKey, string>();
  private readonly settling = new Settling((key) => this.isSettled(key));

  constructor(private readonly parts: RegistryParts) {}

  get version(): string {
    return this.parts.book.version;
  }

  page(after?: string): CatalogPage {
    return this.parts.book.page(after);
  }

  /** Puts every wanted server into the catalog: once, after the stored ones were read. */
  open(): void {
    for (const { tenant, name } of this.parts.desired.list()) this.place(serverKey(tenant, name));
  }

  hear(beat: HostBeat, nowMs: number): void {
    const changed = this.parts.table.hear(beat, nowMs);
    for (const key of changed) this.place(key);
    for (const report of beat.servers) this.wantList(serverKey(report.tenant, report.server));
  }

  sweep(nowMs: number): void {
    for (const key of this.parts.table.sweep(nowMs)) this.place(key);
  }

  /** After the wanted servers changed. */
  async changed(tenant: TenantId, name: string): Promise<void> {
    const key = serverKey(tenant, name);
    const server = this.parts.desired.get(tenant, name);
    const list = this.shown.get(key);
    if (server !== undefined && list !== undefined) await this.parts.examiner.takeFirst(server, list);
    this.place(key);
    this.record(key);
  }

  /** The present list of a server as the pins see it; undefined when none is known. */
  examined({ tenant, name }: Pick<DesiredServer, 'tenant' | 'name'>): readonly ExaminedTool[] | undefined {
    const server = this.parts.desired.get(tenant, name);
    const list = this.shown.get(serverKey(tenant, name));
    return server === undefined || list === undefined ? undefined : this.parts.examiner.examine(server, list);
  }

  /** Until a host has answered for the wanted configuration, one way or the other, or the signal ends the wait. */
  settled(tenant: TenantId, name: string, signal: AbortSignal): Promise<void> {
    return this.settling.until(serverKey(tenant, name), signal);
  }

  /** Until every wanted server is settled, or the signal ends the wait. */
  async caughtUp(signal: AbortSignal): Promise<void> {
    await Promise.all(
      this.parts.desired.list().map(({ tenant, name }) => this.settled(tenant, name, signal)),
    );
  }

  view(server: DesiredServer): ServerView {
    const key = serverKey(server.tenant, server.name);
    const facts = this.factsOf(key);
    const serving = servingReports(facts);
    return serverView(server, {
      connected: facts.enabled && serving.length > 0,
      sandboxEffective: (serving[0] ?? facts.reports[0])?.report.sandbox_effective ?? 'none',
      warnings: this.parts.examiner.warnings(server, this.shown.get(key)),
      tools: this.parts.book.entriesOf(key).map(({ name }) => name),
    });
  }

  views(tenant: TenantId): ServerView[] {
    return this.parts.desired.list(tenant).map((server) => this.view(server));
  }

  /** Every wanted server of the tenant; native tools are no MCP server. */
  health(tenant: TenantId): z.output<typeof HealthView> {
    const servers = this.parts.desired.list(tenant).map(({ name }) => this.serverHealth(tenant, name));
    const connected = servers.filter(({ status }) => status === 'ready' || status === 'degraded').length;
    return { total_tools: servers.reduce((sum, { tool_count }) => sum + tool_count, 0), connected, servers };
  }

  serverHealth(tenant: TenantId, name: string): ServerHealth {
    const key = serverKey(tenant, name);
    const live = this.parts.book.entriesOf(key).filter(({ state }) => state !== 'unavailable');
    return healthOf(name, this.factsOf(key), live.length);
  }

  /** Host instances that report the server now. */
  reporters(tenant: TenantId, name: string): readonly string[] {
    return this.factsOf(serverKey(tenant, name)).reports.map(({ instance }) => instance);
  }

  private factsOf(key: ServerKey): ServerFacts {
    const native = this.isNative(key);
    const server = native ? undefined : this.desiredOf(key);
    const shown = this.shown.get(key);
    const listProblem = this.problems.get(key);
    return {
      enabled: native || server?.config.enabled === true,
      reports: this.parts.table.reportsOf(key, native ? 'native' : 'mcp'),
      ...(server === undefined ? {} : { revisions: server.sameConnection }),
      lists: this.lists.get(key) ?? new Map(),
      ...(shown === undefined ? {} : { shown }),
      ...(listProblem === undefined ? {} : { listProblem }),
    };
  }

  /** Brings the catalog to what is known of the server. */
  private place(key: ServerKey): void {
    const server = this.desiredOf(key);
    if (server === undefined && !this.isNative(key)) this.drop(key);
    else this.placeStanding(key, server, standingOf(this.factsOf(key)));
    this.settling.look(key);
  }

  private placeStanding(key: ServerKey, server: DesiredServer | undefined, standing: Standing): void {
    const { list, instances } = standing;
    if (list === undefined) this.shown.delete(key);
    else this.shown.set(key, list);
    const { tenant, name } = server ?? partsOf(key);
    const row = catalogServer({ tenant, name, config: server?.config }, standing);
    const serving = instances.length > 0;
    if (list === undefined) this.tell(this.parts.book.put(row, []));
    else if (server === undefined)
      this.tell(this.parts.book.put(row, nativeEntries(tenant, name, { list, serving })));
    else
      this.tell(
        this.parts.book.put(row, upstreamEntries(server, this.parts.examiner.examine(server, list), serving)),
      );
  }

  private drop(key: ServerKey): void {
    this.lists.delete(key);
    this.shown.delete(key);
    this.problems.delete(key);
    for (const twin of this.parts.examiner.meet(key, undefined)) this.place(twin);
    this.tell(this.parts.book.remove(key));
  }

  private tell(change: CatalogChange | undefined): void {
    if (change !== undefined) this.parts.announce(change);
  }

  /** Reads a list that a connected host has and we do not; again with the next beat. */
  private wantList(key: ServerKey): void {
    if (this.desiredOf(key) === undefined && !this.isNative(key)) return;
    const facts = this.factsOf(key);
    const unread = servingReports(facts).find(
      ({ report }) => report.list_digest !== undefined && !facts.lists.has(report.list_digest),
    );
    if (unread === undefined || !facts.enabled) return;
    this.parts.reader.read(unread, (attempt) => this.take(key, attempt));
  }

  private async take(key: ServerKey, attempt: ReadAttempt): Promise<void> {
    switch (attempt.kind) {
      case 'stale':
        return;
      case 'failed':
        this.problems.set(key, attempt.problem);
        return this.place(key);
      case 'list':
        return this.adopt(key, attempt.list);
    }
  }

  private async adopt(key: ServerKey, list: ToolList): Promise<void> {
    const server = this.desiredOf(key);
    if (server !== undefined) await this.parts.examiner.takeFirst(server, list);
    this.problems.delete(key);
    const inUse = new Set(this.factsOf(key).reports.map(({ report }) => report.list_digest));
    const kept = [...(this.lists.get(key) ?? [])].filter(([digest]) => inUse.has(digest));
    this.lists.set(key, new Map([...kept, [list.digest, list]]));
    const twins = this.parts.examiner.meet(key, list);
    this.place(key);
    for (const twin of twins) this.place(twin);
    if (server === undefined) return;
    for (const each of [key, ...twins]) this.record(each);
    const warnings = this.parts.examiner.warnings(server, list);
    if (warnings.length > 0) this.parts.journal.warn({ server: key, warnings }, 'tools need attention');
  }

  /** Beside whatever else happens: what is quarantined does not wait for the ledger. Made up for when somebody looks. */
  private record(key: ServerKey): void {
    const { tenant, name } = partsOf(key);
    const tools = this.examined({ tenant, name });
    if (tools !== undefined) void this.parts.changes.record({ tenant, name }, tools);
  }

  private isSettled(key: ServerKey): boolean {
    if (this.desiredOf(key)?.config.enabled !== true) return true;
    const { status, instances } = standingOf(this.factsOf(key));
    if (status === 'ready' || status === 'degraded') return instances.length > 0;
    return status !== 'connecting';
  }

  private isNative(key: ServerKey): boolean {
    return key.endsWith(`/${nativeServer}`);
  }

  private desiredOf(key: ServerKey): DesiredServer | undefined {
    const { tenant, name } = partsOf(key);
    return this.parts.desired.get(tenant, name);
  }
}
