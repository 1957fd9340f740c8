import type { Leadership } from './leadership.js';

/** Whose the lead is, as everybody reads it. */
export interface LeadRow {
  readonly holder: string;
  /** Grows with every write. */
  readonly revision: number;
}

/** One row that all see in the same order. */
export interface LeadStore {
  read(): Promise<LeadRow | undefined>;
  /** Compare and set: `ifRevision` 0 for no row. False: somebody else was first. */
  take(holder: string, ifRevision: number): Promise<boolean>;
  giveBack(ifRevision: number): Promise<void>;
}

export interface LeadParts {
  readonly store: LeadStore;
  /** Names this process; no other has the name. */
  readonly holder: string;
  /** False: this process cannot do what a leader does, so that the lead passes on. */
  isFit(): boolean;
  /** Milliseconds of a clock that is never set. */
  readonly now: () => number;
  after(ms: number, listener: () => void): () => void;
  /** Told of each change. */
  changed(leads: boolean): void;
  /** The row can be neither read nor written. */
  troubled(error: unknown): void;
}

/** Renewed, and looked at by the others, this often. */
const everyMs = 500;
/** For how long a renewal counts, from before it was written. */
const heldMs = 2_000;
/** A row that did not change for so long, from when it was read, is whoever's comes first. */
const leftAfterMs = 3_000;

/**
 * The lead of one among several processes, as a row that its holder keeps rewriting. Nobody compares clocks: each measures
 * for how long it saw no change, and a holder that cannot renew stops a second before anybody may take over. One that was
 * frozen in the middle of a step may still finish that step, so that every step has to be safe beside those of its successor.
 */
export class SharedLead implements Leadership {
  readonly hasRivals = true;
  private heldSince = -Infinity;
  private seen: { readonly revision: number; readonly at: number } | undefined;
  private wasLeading = false;
  private turning: Promise<void> = Promise.resolve();
  private isStopped = false;
  private endSleep = (): void => undefined;

  constructor(private readonly parts: LeadParts) {}

  leads(): boolean {
    return !this.isStopped && this.parts.now() - this.heldSince < heldMs;
  }

  /** Resolves once it is known whether the lead was free. */
  start(): Promise<void> {
    this.turning = this.turn().then(() => {
      if (!this.isStopped) this.endSleep = this.parts.after(everyMs, () => void this.start());
    });
    return this.turning;
  }

  /** Gives the lead back, so that the next one need not wait. */
  async stop(): Promise<void> {
    if (this.isStopped) return;
    this.isStopped = true;
    this.endSleep();
    await this.turning;
    try {
      const row = await this.parts.store.read();
      if (row?.holder === this.parts.holder) await this.parts.store.giveBack(row.revision);
    } catch (error) {
      this.parts.troubled(error);
    }
    this.tell();
  }

  private async turn(): Promise<void> {
    try {
      await this.takeOrWatch();
    } catch (error) {
      this.parts.troubled(error);
    }
    this.tell();
  }

  private async takeOrWatch(): Promise<void> {
    const { store, holder, now, isFit } = this.parts;
    if (!isFit()) return;
    const begunAt = now();
    const row = await store.read();
    if (row !== undefined && row.holder !== holder && !this.isLeft(row)) return;
    if (await store.take(holder, row?.revision ?? 0)) this.heldSince = begunAt;
  }

  private isLeft({ revision }: LeadRow): boolean {
    this.heldSince = -Infinity;
    const at = this.parts.now();
    if (this.seen?.revision !== revision) this.seen = { revision, at };
    return at - this.seen.at >= leftAfterMs;
  }

  private tell(): void {
    const leads = this.leads();
    if (leads === this.wasLeading) return;
    this.wasLeading = leads;
    this.parts.changed(leads);
  }
}
