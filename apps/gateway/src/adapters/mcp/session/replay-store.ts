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

interface Kept extends Omit<KeptEvent, 'data'> {
  readonly owner: SessionReplay;
  readonly bytes: number;
  readonly at: number;
  /** Empty once it is gone: the queues may hold it for a while. */
  data: string;
  isGone: boolean;
}

interface Bound {
  readonly events: number;
  readonly bytes: number;
}

/** The messages of all sessions that a client may ask for again (MCP "Resumability and Redelivery"), the oldest first to go. */
export class ReplayStore {
  private readonly queue = new Queue();

  constructor(readonly limits: ReplayLimits) {}

  open(): SessionReplay {
    return new SessionReplay(this);
  }

  get bytes(): number {
    return this.queue.bytes;
  }

  take(kept: Kept): void {
    this.queue.add(kept);
  }

  /** After the session has kept to its own bounds. */
  trim(): void {
    while (this.queue.exceeds(this.limits.total)) this.queue.oldest?.owner.dropOldest();
  }

  drop(kept: Kept): void {
    this.queue.drop(kept);
  }

  /** Forgets what nobody came back for in time. */
  sweep(now: number): void {
    const { keptMs } = this.limits;
    for (let { oldest } = this.queue; oldest && now - oldest.at > keptMs; { oldest } = this.queue)
      oldest.owner.dropOldest();
  }
}

/** What one session may be asked for again. */
export class SessionReplay {
  private readonly queue = new Queue();

  constructor(private readonly store: ReplayStore) {}

  keep({ stream, seq, data, isLast }: KeptEvent): void {
    const bytes = Buffer.byteLength(data);
    const kept: Kept = { stream, seq, data, isLast, owner: this, bytes, at: Date.now(), isGone: false };
    this.queue.add(kept);
    this.store.take(kept);
    while (this.queue.exceeds(this.store.limits.perSession)) this.dropOldest();
    this.store.trim();
  }

  /** The events of that stream alone that came after `seq`, as far as they are kept; in order. */
  after(stream: number, seq: number): readonly KeptEvent[] {
    return this.queue.all.filter((kept) => kept.stream === stream && kept.seq > seq);
  }

  /** The oldest of all is the oldest of its session too. */
  dropOldest(): void {
    const { oldest } = this.queue;
    if (oldest === undefined) return;
    oldest.isGone = true;
    oldest.data = '';
    this.queue.drop(oldest);
    this.store.drop(oldest);
  }

  clear(): void {
    while (this.queue.oldest !== undefined) this.dropOldest();
  }
}

const leastCompacted = 64;

/** Events in order of arrival. What is gone is skipped, and let go once it is the greater part. */
class Queue {
  bytes = 0;
  private items: Kept[] = [];
  private head = 0;
  private size = 0;

  get all(): readonly Kept[] {
    return this.items.slice(this.head).filter(({ isGone }) => !isGone);
  }

  get oldest(): Kept | undefined {
    while (this.items[this.head]?.isGone === true) this.head += 1;
    return this.items[this.head];
  }

  add(kept: Kept): void {
    this.items.push(kept);
    this.bytes += kept.bytes;
    this.size += 1;
  }

  /** Of one that is gone. */
  drop(kept: Kept): void {
    this.bytes -= kept.bytes;
    this.size -= 1;
    if (this.items.length < leastCompacted || this.items.length < this.size * 2) return;
    this.items = [...this.all];
    this.head = 0;
  }

  exceeds(limit: Bound): boolean {
    return this.size > limit.events || this.bytes > limit.bytes;
  }
}
