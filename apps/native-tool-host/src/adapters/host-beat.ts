import type { Bus } from '@uar/bus';
import { hostBeat, registryStarted, TenantId } from '@uar/contracts';
import type { ToolList } from '../domain/tool-list.js';

export interface HostBeatOptions {
  readonly bus: Bus;
  /** What is listed now. */
  readonly listed: () => ToolList;
  readonly inFlight: () => number;
}

const beatMs = 1_000;
const reportTenant = TenantId.parse('default');

/** Says once a second, and whenever a registry starts, that this host lives and what it serves. */
export class HostBeat {
  private readonly since = Date.now();
  private stopping = false;
  private timer: NodeJS.Timeout | undefined;
  private unlisten: (() => void) | undefined;

  constructor(private readonly options: HostBeatOptions) {}

  /** To be called once the handlers are on the bus: whoever hears the first beat may ask at once. */
  start(): void {
    this.unlisten = this.options.bus.listen(registryStarted, () => {
      this.beat();
    });
    this.timer = setInterval(() => {
      this.beat();
    }, beatMs);
    this.beat();
  }

  /** The last beat says that no calls are taken any more. */
  stop(): void {
    if (this.stopping) return;
    this.stopping = true;
    clearInterval(this.timer);
    this.unlisten?.();
    this.beat();
  }

  beat(): void {
    const { bus, listed, inFlight } = this.options;
    if (bus.state() !== 'connected') return;
    const { digest, definitions } = listed();
    bus.announce(hostBeat, {
      host: 'native',
      instance: bus.instance,
      at: Date.now(),
      stopping: this.stopping,
      servers: [
        {
          tenant: reportTenant,
          server: 'native',
          revision: 0,
          status: this.status(definitions.length),
          list_digest: digest,
          tool_count: definitions.length,
          epoch: 0,
          since: this.since,
          in_flight: inFlight(),
          restarts: 0,
          sandbox_effective: 'paths',
        },
      ],
    });
  }

  private status(toolCount: number): 'ready' | 'disabled' | 'stopping' {
    if (this.stopping) return 'stopping';
    return toolCount === 0 ? 'disabled' : 'ready';
  }
}
