import type { Bus } from '@uar/bus';
import { catalogBeat, hostBeat, registryStarted, serversNamespace } from '@uar/contracts';
import type { Log } from '@uar/telemetry';
import type { Settings } from '../domain/ports.js';
import type { Registry } from '../domain/registry.js';
import type { ServerStore } from '../domain/servers/server-store.js';
import { pinsNamespace, type Pins } from '../domain/tools/pins.js';

const beatMs = 1_000;
const firstRetryMs = 50;
const longestRetryMs = 1_000;
/** How long after the start hosts may take to tell what they serve before the first snapshot goes out. */
const catchUpMs = 500;

export interface LoopParts {
  readonly bus: Bus;
  readonly log: Log;
  readonly settings: Settings;
  readonly store: ServerStore;
  readonly pins: Pins;
  readonly registry: Registry;
}

/** What the registry does by itself: reads the ledger until it answers, then listens to hosts and beats. */
export class RegistryLoop {
  private readonly opened: Promise<void>;
  private caughtUp: Promise<void> = Promise.resolve();
  private markOpened: () => void = () => undefined;
  private isOpen = false;
  private stopped = false;
  private timer: NodeJS.Timeout | undefined;
  private endListening: () => void = () => undefined;

  constructor(private readonly parts: LoopParts) {
    this.opened = new Promise((resolve) => (this.markOpened = resolve));
  }

  start(): void {
    void this.load(0);
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
    this.endListening();
  }

  problems(): string[] {
    return this.isOpen
      ? this.parts.store.problems()
      : ['the ledger has not answered with the stored servers'];
  }

  /** Until the stored servers are known: an earlier answer would be an empty success. Throws when the signal ends the wait. */
  async whenOpen(signal: AbortSignal): Promise<void> {
    if (this.isOpen) return;
    const ended = new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('the stored servers are not known yet')), {
        once: true,
      });
    });
    await Promise.race([this.opened, ended]);
  }

  /** Also until hosts had time to answer: gateways keep the snapshot of the registry before this one until then. */
  async whenCaughtUp(signal: AbortSignal): Promise<void> {
    await this.whenOpen(signal);
    await this.caughtUp;
  }

  private async load(attempt: number): Promise<void> {
    const { settings, store, pins, log } = this.parts;
    const [servers, reviewed] = await Promise.all([
      settings.read(serversNamespace),
      settings.read(pinsNamespace),
    ]);
    if (this.stopped) return;
    if (servers === undefined || reviewed === undefined) {
      if (attempt === 0) log.warn({}, 'waiting for the ledger');
      const waitMs = Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(attempt, 10));
      this.timer = setTimeout(() => void this.load(attempt + 1), waitMs);
      return;
    }
    store.load(servers);
    pins.load(reviewed);
    this.open();
  }

  private open(): void {
    const { bus, registry } = this.parts;
    registry.open();
    this.endListening = bus.listen(hostBeat, (beat) => registry.hear(beat, performance.now()));
    bus.announce(registryStarted, { version: registry.version });
    this.caughtUp = registry.caughtUp(AbortSignal.timeout(catchUpMs));
    this.isOpen = true;
    this.markOpened();
    void this.caughtUp.then(() => this.beat());
  }

  private beat(): void {
    if (this.stopped) return;
    const { bus, registry } = this.parts;
    registry.sweep(performance.now());
    bus.announce(catalogBeat, { version: registry.version });
    this.timer = setTimeout(() => this.beat(), beatMs);
  }
}
