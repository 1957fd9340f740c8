/** Bounds of what is kept for clients that lost a stream; bytes are those of the messages in UTF-8. */
export interface ReplayLimits {
  readonly perSession: { readonly events: number; readonly bytes: number };
  /** Over all sessions of this gateway. */
  readonly total: { readonly events: number; readonly bytes: number };
  readonly keptMs: number;
}

export interface KeptEvent {
  readonly stream: number;
  readonly seq: number;
  readonly data: string;
  /** Nothing follows it in its stream. */
  readonly isLast: boolean;
}

interface Kept extends KeptEvent {
  readonly owner: SessionReplay;
  readonly bytes: number;
  readonly at: number;
}

/** The messages of all sessions that a client may ask for again (MCP "Resumability and Redelivery"), the oldest first to go. */
export class ReplayStore {
  private readonly shelf = new Shelf();

  constructor(readonly limits: ReplayLimits) {}

  open(): SessionReplay {
    return new SessionReplay(this);
  }

  get bytes(): number {
    return this.shelf.bytes;
  }

  take(kept: Kept): void {
    this.shelf.add(kept);
    while (this.shelf.exceeds(this.limits.total)) this.dropOldest();
  }

  drop(kept: Kept): void {
    this.shelf.delete(kept);
  }

  /** Forgets what nobody came back for in time. */
  sweep(now: number): void {
    const { keptMs } = this.limits;
    for (let oldest = this.shelf.oldest; oldest && now - oldest.at > keptMs; oldest = this.shelf.oldest)
      oldest.owner.drop(oldest);
  }

  private dropOldest(): void {
    const { oldest } = this.shelf;
    oldest?.owner.drop(oldest);
  }
}

/** What one session may be asked for again. */
export class SessionReplay {
  private readonly shelf = new Shelf();

  constructor(private readonly store: ReplayStore) {}

  keep(event: KeptEvent): void {
    const kept = { ...event, owner: this, bytes: Buffer.byteLength(event.data), at: Date.now() };
    this.shelf.add(kept);
    this.store.take(kept);
    while (this.shelf.exceeds(this.store.limits.perSession)) {
      const { oldest } = this.shelf;
      if (oldest !== undefined) this.drop(oldest);
    }
  }

  /** The events of that stream alone that came after `seq`, as far as they are kept; in order. */
  after(stream: number, seq: number): readonly KeptEvent[] {
    return [...this.shelf.all].filter((kept) => kept.stream === stream && kept.seq > seq);
  }

  drop(kept: Kept): void {
    this.shelf.delete(kept);
    this.store.drop(kept);
  }

  clear(): void {
    for (const kept of [...this.shelf.all]) this.drop(kept);
  }
}

/** Events in order of arrival, and how much they are. */
class Shelf {
  readonly all = new Set<Kept>();
  bytes = 0;

  get oldest(): Kept | undefined {
    for (const kept of this.all) return kept;
    return undefined;
  }

  add(kept: Kept): void {
    this.all.add(kept);
    this.bytes += kept.bytes;
  }

  delete(kept: Kept): void {
    if (this.all.delete(kept)) this.bytes -= kept.bytes;
  }

  exceeds(limit: { readonly events: number; readonly bytes: number }): boolean {
    return this.all.size > limit.events || this.bytes > limit.bytes;
  }
}
