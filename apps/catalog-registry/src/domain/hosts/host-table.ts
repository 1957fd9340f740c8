import type { BodyOf, ServerReport, hostBeat } from '@uar/contracts';
import { serverKey, type ServerKey } from '../servers/desired-servers.js';

export type HostBeat = BodyOf<typeof hostBeat>;

/** What one live host instance says of one server. */
export interface LiveReport {
  readonly instance: string;
  readonly host: 'mcp' | 'native';
  /** It takes no new calls. */
  readonly stopping: boolean;
  readonly report: ServerReport;
}

interface Host {
  readonly host: 'mcp' | 'native';
  heardAtMs: number;
  stopping: boolean;
  reports: ReadonlyMap<ServerKey, ServerReport>;
}

const silenceMs = 5_000;

/** The host instances that are alive, by their beats. Times are readings of one monotonic clock. */
export class HostTable {
  private readonly hosts = new Map<string, Host>();

  /** The servers about which something of weight is new: status, list, revision, place; not counters. */
  hear(beat: HostBeat, nowMs: number): ReadonlySet<ServerKey> {
    const reports = new Map(beat.servers.map((report) => [serverKey(report.tenant, report.server), report]));
    const before = this.hosts.get(beat.instance);
    this.hosts.set(beat.instance, { host: beat.host, heardAtMs: nowMs, stopping: beat.stopping, reports });
    const turned = before?.stopping !== beat.stopping;
    const keys = [...reports.keys(), ...(before?.reports.keys() ?? [])];
    return new Set(
      keys.filter((key) => turned || weight(before?.reports.get(key)) !== weight(reports.get(key))),
    );
  }

  /** Takes over one report ahead of the next beat. */
  amend(instance: string, report: ServerReport): void {
    const host = this.hosts.get(instance);
    if (host === undefined) return;
    host.reports = new Map([...host.reports, [serverKey(report.tenant, report.server), report]]);
  }

  /** Forgets the silent; gives the servers they reported. */
  sweep(nowMs: number): ReadonlySet<ServerKey> {
    const left = new Set<ServerKey>();
    for (const [instance, host] of this.hosts) {
      if (nowMs - host.heardAtMs <= silenceMs) continue;
      this.hosts.delete(instance);
      for (const key of host.reports.keys()) left.add(key);
    }
    return left;
  }

  reportsOf(key: ServerKey, kind: 'mcp' | 'native'): readonly LiveReport[] {
    return [...this.hosts].flatMap(([instance, { host, stopping, reports }]) => {
      const report = reports.get(key);
      return report === undefined || host !== kind ? [] : [{ instance, host, stopping, report }];
    });
  }

  /** Every server that a live host of this kind reports. */
  serversOf(kind: 'mcp' | 'native'): ReadonlySet<ServerKey> {
    const ofKind = [...this.hosts.values()].filter(({ host }) => host === kind);
    return new Set(ofKind.flatMap(({ reports }) => [...reports.keys()]));
  }
}

function weight(report: ServerReport | undefined): string {
  if (report === undefined) return '';
  const { status, list_digest, incomplete, revision, epoch, sandbox_effective } = report;
  return JSON.stringify([status, list_digest, incomplete, revision, epoch, sandbox_effective]);
}
