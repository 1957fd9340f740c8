import type { LiveReport } from '../hosts/host-table.js';
import type { Hosts, Journal, Pause } from '../ports.js';
import { serverKey, type ServerKey } from '../servers/desired-servers.js';
import { gatherPages } from './list-pages.js';
import { readToolList, type ToolList } from './tool-list.js';

/** What came of reading a list; `stale`: the host does not have that list any more. */
export type ReadAttempt =
  | { readonly kind: 'list'; readonly list: ToolList }
  | { readonly kind: 'failed'; readonly problem: string }
  | { readonly kind: 'stale' };

export interface ReaderParts {
  readonly hosts: Hosts;
  readonly journal: Journal;
  readonly pause: Pause;
}

/** Reads lists of hosts, one at a time per server; the newest that was asked for meanwhile comes next. */
export class ListReader {
  private readonly reading = new Map<ServerKey, LiveReport>();
  private readonly next = new Map<ServerKey, LiveReport>();

  constructor(private readonly parts: ReaderParts) {}

  read(source: LiveReport, taken: (attempt: ReadAttempt) => Promise<void>): void {
    const key = serverKey(source.report.tenant, source.report.server);
    const present = this.reading.get(key);
    if (present !== undefined) {
      if (present.report.list_digest !== source.report.list_digest) this.next.set(key, source);
      return;
    }
    this.reading.set(key, source);
    void this.attempt(source)
      .then(taken)
      .catch((error: unknown) =>
        this.parts.journal.warn({ err: error, server: key }, 'a tool list was not read'),
      )
      .finally(() => this.goOn(key, taken));
  }

  private goOn(key: ServerKey, taken: (attempt: ReadAttempt) => Promise<void>): void {
    const next = this.next.get(key);
    this.reading.delete(key);
    this.next.delete(key);
    if (next !== undefined) this.read(next, taken);
  }

  private async attempt({ instance, host, report }: LiveReport): Promise<ReadAttempt> {
    const { hosts, journal, pause } = this.parts;
    const { tenant, server } = report;
    const listed = await gatherPages(hosts, { host, instance, tenant, server });
    if (listed.kind === 'stale') return { kind: 'stale' };
    const statements = host === 'native' ? await hosts.statements(instance) : undefined;
    if (listed.kind === 'unreached' || (host === 'native' && statements === undefined)) {
      const reason = listed.kind === 'unreached' ? listed.reason : 'no statements';
      journal.warn({ tenant, server, instance, reason }, 'a tool list was not read');
      return { kind: 'failed', problem: 'its tools could not be listed' };
    }
    return { kind: 'list', list: await readToolList(server, listed, { pause, statements }) };
  }
}
