import type { Log } from '@uar/telemetry';
import { Presence, askEveryMs, type Sign } from '../domain/presence.js';

export interface GatewayWatchParts {
  readonly log: Pick<Log, 'warn'>;
  /** Instances with calls that have not ended; undefined while another replica looks. */
  gateways(): Promise<readonly string[] | undefined>;
  ask(gateway: string): Promise<Sign>;
  close(gateway: string): Promise<{ readonly calls: number; readonly views: number }>;
}

/** Asks the gateways whose calls have not ended whether they are there, and has those closed that are gone. */
export class GatewayWatch {
  readonly #parts: GatewayWatchParts;
  #presence = new Presence();
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(parts: GatewayWatchParts) {
    this.#parts = parts;
  }

  start(): void {
    if (this.#stopped) return;
    const startedAt = performance.now();
    this.#round = this.#look().then(() => {
      if (this.#stopped) return;
      const leftMs = Math.max(0, askEveryMs - (performance.now() - startedAt));
      this.#timer = setTimeout(() => this.start(), leftMs);
    });
  }

  /** Nothing is begun after it; what runs is finished. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#round;
  }

  async #look(): Promise<void> {
    try {
      const gateways = await this.#parts.gateways();
      if (gateways === undefined) {
        this.#presence = new Presence();
        return;
      }
      this.#presence.keepOnly(gateways);
      await Promise.all(gateways.map((gateway) => this.#lookAt(gateway)));
    } catch (error) {
      this.#parts.log.warn(
        { err: error },
        'calls of a gateway that is gone could not be closed; trying again',
      );
    }
  }

  async #lookAt(gateway: string): Promise<void> {
    if (!this.#presence.isGone(gateway, await this.#parts.ask(gateway))) return;
    const closed = await this.#parts.close(gateway);
    this.#parts.log.warn({ gateway, ...closed }, 'a gateway is gone; what it left open is closed');
  }
}
