import type { CatalogServer, ServerConfig, ServerHealth, ServerReport, ServerStatus } from '@uar/contracts';
import type { ToolList } from '../tools/tool-list.js';
import type { LiveReport } from './host-table.js';

/** Best first: one replica that works makes the server work. */
const ranking: readonly ServerStatus[] = [
  'ready',
  'degraded',
  'connecting',
  'auth_required',
  'crash_loop',
  'failed',
  'stopping',
  'disabled',
];

export interface ServerFacts {
  readonly enabled: boolean;
  /** Reports of live hosts. */
  readonly reports: readonly LiveReport[];
  /** Revisions under which a host has the connection that is wanted; absent: any, as for native tools. */
  readonly revisions?: ReadonlySet<number>;
  /** Lists read from hosts, by their digest. */
  readonly lists: ReadonlyMap<string, ToolList>;
  /** The list that was shown last. */
  readonly shown?: ToolList;
  /** Why the newest list could not be read. */
  readonly listProblem?: string;
}

/** How a server stands over all its replicas: its status, the list to show and who can execute it. */
export interface Standing {
  readonly status: ServerStatus;
  readonly list?: ToolList;
  readonly instances: string[];
  /** Why its tools are missing or not whole. Names no tool and no address. */
  readonly incomplete?: string;
}

export function standingOf(facts: ServerFacts): Standing {
  if (!facts.enabled) return { status: 'disabled', instances: [] };
  const current = currentReports(facts);
  const status = bestStatus(current);
  const serving = servingReports(facts).filter(({ report }) => facts.lists.has(report.list_digest ?? ''));
  const chosen = serving.toSorted(newerFirst)[0]?.report.list_digest;
  const list = facts.lists.get(chosen ?? '') ?? facts.shown;
  const instances = serving
    .filter(({ report }) => report.list_digest === chosen)
    .map(({ instance }) => instance);
  const incomplete = incompleteness(facts, { status, list, instances });
  return {
    status,
    instances: instances.toSorted(),
    ...(list === undefined ? {} : { list }),
    ...(incomplete === '' ? {} : { incomplete }),
  };
}

/** Reports of instances that are connected the wanted way and take calls. */
export function servingReports(facts: Pick<ServerFacts, 'reports' | 'revisions'>): readonly LiveReport[] {
  return currentReports(facts).filter(({ stopping, report }) => !stopping && takesCalls(report));
}

/** A host that opens a lost connection again still names its list: calls wait there for the new one (P6). */
function takesCalls({ status, list_digest }: ServerReport): boolean {
  return (
    status === 'ready' || status === 'degraded' || (status === 'connecting' && list_digest !== undefined)
  );
}

/** `config`: of an upstream; the server of native tools has none. */
export function catalogServer(
  { tenant, name, config }: Pick<CatalogServer, 'tenant' | 'name'> & { config: ServerConfig | undefined },
  { status, instances, incomplete }: Standing,
): CatalogServer {
  const kind =
    config === undefined
      ? { host: 'native' as const }
      : { host: 'mcp' as const, placement: config.placement, timeout_ms: config.timeout_ms };
  return {
    ...{ tenant, name, ...kind, status, instances },
    ...(incomplete === undefined ? {} : { incomplete }),
    ...(config?.auth?.flow === 'token_exchange' ? { takes_caller_token: true } : {}),
  };
}

/** The server's row in the health view: the state now, over all replicas. */
export function healthOf(name: string, facts: ServerFacts, toolCount: number): ServerHealth {
  const reports = currentReports(facts).map(({ report }) => report);
  const lastOk = Math.max(...reports.map(({ last_ok_at }) => last_ok_at ?? 0));
  const latencies = reports.flatMap(({ latency_ms }) => (latency_ms === undefined ? [] : [latency_ms]));
  const spoken = reports.find(({ mcp_revision }) => mcp_revision !== undefined)?.mcp_revision;
  return {
    name,
    status: standingOf(facts).status,
    tool_count: toolCount,
    replicas: facts.reports.map(({ instance, report }) => ({
      host: instance,
      epoch: report.epoch,
      since: new Date(report.since).toISOString(),
      in_flight: report.in_flight,
      restarts: report.restarts,
      ...(report.last_error === undefined ? {} : { last_error: report.last_error }),
    })),
    ...(lastOk > 0 ? { last_ok_at: new Date(lastOk).toISOString() } : {}),
    ...(latencies.length > 0 ? { latency_ms: Math.min(...latencies) } : {}),
    ...(spoken === undefined ? {} : { mcp_revision: spoken }),
  };
}

function currentReports({
  reports,
  revisions,
}: Pick<ServerFacts, 'reports' | 'revisions'>): readonly LiveReport[] {
  return reports.filter(({ report }) => revisions === undefined || revisions.has(report.revision));
}

function bestStatus(reports: readonly LiveReport[]): ServerStatus {
  const said = new Set(reports.map(({ stopping, report }) => (stopping ? 'stopping' : report.status)));
  return ranking.find((status) => said.has(status)) ?? 'connecting';
}

function newerFirst(one: LiveReport, two: LiveReport): number {
  return two.report.epoch - one.report.epoch || two.report.since - one.report.since;
}

function incompleteness(
  facts: ServerFacts,
  standing: Omit<Standing, 'list'> & { list: ToolList | undefined },
): string {
  const { status, list, instances } = standing;
  const reasons = [
    ...(facts.reports.length === 0 ? ['no host serves it'] : []),
    ...(facts.reports.length > 0 && status !== 'ready' ? [`the server is ${status}`] : []),
    ...(status === 'ready' && instances.length === 0
      ? [facts.listProblem ?? 'its tools are being listed']
      : []),
    ...(list?.problems.map(({ reason }) => reason) ?? []),
  ];
  return reasons.join('; ');
}
