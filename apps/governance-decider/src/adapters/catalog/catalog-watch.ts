import type { CatalogReplica } from '@uar/catalog';
import type { StalePolicies } from '../../domain/policy/lint/stale-policies.js';

export interface CatalogWatchParts {
  readonly replica: Pick<CatalogReplica, 'start' | 'stop' | 'onChange'>;
  readonly stale: Pick<StalePolicies, 'review'>;
  /** Quiet time after a change before the sets are reviewed: servers come and go in bursts. */
  readonly quietMs: number;
  /** After a review: what was refused because of the catalog may be taken now. */
  readonly onReviewed: () => void;
  readonly onFault: (error: unknown) => void;
}

/** Has the active sets reviewed when the catalog changes, and never on the way of a decision. */
export class CatalogWatch {
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(private readonly parts: CatalogWatchParts) {}

  /** Does not wait for the registry: sets are loaded without it, with warnings at most. */
  start(): void {
    this.parts.replica.onChange(() => this.#schedule());
    void this.parts.replica.start();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.parts.replica.stop();
  }

  /** The first change of a burst sets the time, so that a catalog that never rests is reviewed all the same. */
  #schedule(): void {
    if (this.#isStopped || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#review();
    }, this.parts.quietMs);
    this.#timer.unref();
  }

  async #review(): Promise<void> {
    try {
      await this.parts.stale.review();
      if (!this.#isStopped) this.parts.onReviewed();
    } catch (error) {
      this.parts.onFault(error);
    }
  }
}
