import type { Bus } from '@uar/bus';
import { readWantedServers, registryStarted, serversChanged, type WantedServer } from '@uar/contracts';
import type { Clock } from '../domain/clock.js';

export interface WantedServersOptions {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly apply: (servers: readonly WantedServer[]) => void;
}

const firstRetryMs = 100;
const longestRetryMs = 2_000;
/** An announcement may get lost with its connection; so often the set is read without one. */
const refreshMs = 30_000;

/** Follows the registry's set of wanted servers. While the registry is away the last set stays in force. */
export class WantedServers {
  private readonly unlisten: (() => void)[];
  private readonly stopping = new AbortController();
  /** Aborted to read at once. */
  private pause = new AbortController();
  private known = false;

  constructor(private readonly options: WantedServersOptions) {
    const { bus } = options;
    this.unlisten = [
      bus.listen(serversChanged, () => this.pause.abort()),
      bus.listen(registryStarted, () => this.pause.abort()),
    ];
    void this.follow();
  }

  /** The set was read at least once. */
  get isKnown(): boolean {
    return this.known;
  }

  stop(): void {
    for (const end of this.unlisten) end();
    this.stopping.abort();
    this.pause.abort();
  }

  private async follow(): Promise<void> {
    let retryMs = firstRetryMs;
    await this.options.bus.flush();
    while (!this.stopping.signal.aborted) {
      this.pause = new AbortController();
      const reply = await this.options.bus.ask(readWantedServers, {}, { signal: this.stopping.signal });
      if (this.stopping.signal.aborted) return;
      if (reply.kind === 'answered') {
        this.known = true;
        this.options.apply(reply.value.servers);
      }
      retryMs = reply.kind === 'answered' ? firstRetryMs : Math.min(longestRetryMs, retryMs * 2);
      await this.options.clock.wait(reply.kind === 'answered' ? refreshMs : retryMs, this.pause.signal);
    }
  }
}
