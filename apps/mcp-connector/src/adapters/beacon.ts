import type { OnApplicationBootstrap } from '@nestjs/common';
import type { Bus } from '@uar/bus';
import { hostBeat, registryStarted, type ServerReport, type TokenKey } from '@uar/contracts';
import type { Log } from '@uar/telemetry';

export interface BeaconOptions {
  readonly bus: Bus;
  readonly log: Log;
  readonly reports: () => ServerReport[];
  readonly tokenKey: TokenKey;
}

const beatMs = 1_000;
/** Changes within this time become one beat. */
const gatherMs = 10;

/** Says once a second, and on every change, which servers this host holds and how they are. */
export class Beacon implements OnApplicationBootstrap {
  private interval: NodeJS.Timeout | undefined;
  private unlisten: (() => void) | undefined;
  private soon: NodeJS.Timeout | undefined;
  private stopping = false;
  private stopped = false;
  private readonly lastStatus = new Map<string, string>();

  constructor(private readonly options: BeaconOptions) {}

  /** Once the handlers are on the bus: whoever hears the first beat may ask at once. */
  onApplicationBootstrap(): void {
    setImmediate(() => {
      if (this.stopped) return;
      this.unlisten = this.options.bus.listen(registryStarted, () => this.beat());
      this.interval = setInterval(() => this.beat(), beatMs);
      this.interval.unref();
      this.beat();
    });
  }

  changed(): void {
    if (this.soon !== undefined || this.interval === undefined || this.stopped) return;
    this.soon = setTimeout(() => {
      this.soon = undefined;
      this.beat();
    }, gatherMs);
    this.soon.unref();
  }

  /** From now on it says that no call should come here. */
  announceStopping(): void {
    this.stopping = true;
    this.beat();
  }

  stop(): void {
    this.beat();
    this.stopped = true;
    clearInterval(this.interval);
    clearTimeout(this.soon);
    this.unlisten?.();
  }

  private beat(): void {
    const servers = this.options.reports();
    this.logChanges(servers);
    const { bus } = this.options;
    bus.announce(hostBeat, {
      host: 'mcp',
      instance: bus.instance,
      at: Date.now(),
      stopping: this.stopping,
      servers,
      token_key: this.options.tokenKey,
    });
  }

  private logChanges(servers: readonly ServerReport[]): void {
    const keys = new Set<string>();
    for (const { tenant, server, status, last_error, tool_count, incomplete } of servers) {
      const key = `${tenant}/${server}`;
      keys.add(key);
      if (this.lastStatus.get(key) === status) continue;
      this.lastStatus.set(key, status);
      const bad = status === 'failed' || status === 'crash_loop' || status === 'auth_required';
      const facts = { tenant, server, status, tool_count, incomplete };
      if (bad) this.options.log.warn({ ...facts, last_error }, 'upstream server state');
      else this.options.log.info(facts, 'upstream server state');
    }
    for (const key of this.lastStatus.keys()) if (!keys.has(key)) this.lastStatus.delete(key);
  }
}
