import type { ServerReport, ServerStatus, WantedServer } from '@uar/contracts';
import type { Clock } from '../clock.js';
import type { ToolList } from '../tools/tool-list.js';
import type { Upstream } from '../upstream.js';
import type { Connected } from './connect.js';

interface Spoken extends Pick<Extract<Connected, { kind: 'connected' }>, 'latencyMs' | 'sandbox'> {
  readonly upstream: Pick<Upstream, 'revision'>;
}

/** What is known of one server now, as the heartbeat reports it. */
export class LinkState {
  private status: ServerStatus = 'connecting';
  private since: number;
  private epoch = 0;
  private restarts = 0;
  private lastError: string | undefined;
  private lastOkAt: number | undefined;
  private latencyMs: number | undefined;
  private sandbox = 'none';
  private revision: string | undefined;
  private readonly listeners = new Set<() => void>();

  constructor(
    private readonly clock: Clock,
    private readonly onChange: () => void,
  ) {
    this.since = clock.now();
  }

  get current(): ServerStatus {
    return this.status;
  }

  set(status: ServerStatus, error?: string): void {
    if (status !== this.status) this.since = this.clock.now();
    this.status = status;
    if (error !== undefined) this.lastError = error;
    this.changed();
  }

  connected(options: Spoken): void {
    this.epoch += 1;
    this.sandbox = options.sandbox;
    this.revision = options.upstream.revision;
    this.answered(options.latencyMs);
    this.set('ready');
  }

  /** The upstream answered something. */
  answered(latencyMs: number): void {
    this.lastOkAt = this.clock.now();
    this.latencyMs = latencyMs;
  }

  lost(): void {
    this.restarts += 1;
  }

  msSinceAnswer(): number {
    return this.clock.now() - (this.lastOkAt ?? -Infinity);
  }

  changed(): void {
    this.onChange();
    for (const listener of [...this.listeners]) listener();
  }

  /** Settles at the first change after which `holds` is true, or when the signal aborts. */
  async until(holds: (status: ServerStatus) => boolean, signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if (!signal.aborted && !holds(this.status)) return;
        this.listeners.delete(look);
        signal.removeEventListener('abort', look);
        resolve();
      };
      this.listeners.add(look);
      signal.addEventListener('abort', look);
      if (signal.aborted) look();
    });
  }

  report(wanted: WantedServer, list: ToolList | undefined, inFlight: number): ServerReport {
    return {
      tenant: wanted.tenant,
      server: wanted.name,
      revision: wanted.revision,
      status: this.status,
      ...(list === undefined ? {} : { list_digest: list.digest }),
      tool_count: list?.tools.size ?? 0,
      ...(list?.incomplete === undefined ? {} : { incomplete: list.incomplete }),
      epoch: this.epoch,
      since: this.since,
      in_flight: inFlight,
      restarts: this.restarts,
      ...(this.lastError === undefined ? {} : { last_error: this.lastError }),
      ...(this.lastOkAt === undefined ? {} : { last_ok_at: this.lastOkAt }),
      ...(this.latencyMs === undefined ? {} : { latency_ms: this.latencyMs }),
      ...(this.revision === undefined ? {} : { mcp_revision: this.revision }),
      sandbox_effective: this.sandbox,
    };
  }
}
