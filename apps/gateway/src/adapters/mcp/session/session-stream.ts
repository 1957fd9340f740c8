import type { EventStream } from '../../http/event-stream.js';
import { eventText } from '../../http/event-text.js';
import type { KeptEvent, SessionReplay } from './replay-store.js';

/** Milliseconds after which a client that lost a stream asks for it again. */
const retryMs = 1_000;
/** An answer that comes sooner leaves in one piece with what primes its stream. */
const primeAfterMs = 20;

const unprimed = new Set<SessionStream>();
let timer: NodeJS.Timeout | undefined;

function primeAll(): void {
  timer = undefined;
  for (const stream of unprimed) stream.prime();
}

export interface StreamOptions {
  /** Unique in its session. */
  readonly id: number;
  /** Undefined: its client cannot come back to it (HTTP+SSE of 2024-11-05). */
  readonly replay?: SessionReplay | undefined;
  /** Begins with an event without data, so that a client can come back before the first message. */
  readonly isPrimed: boolean;
}

/** One stream of messages to a client. It outlives its connections: what is sent while there is none waits for the next. */
export class SessionStream {
  /** How many requests are answered here and have no answer yet. */
  pending = 0;
  readonly id: number;
  private connection: EventStream | undefined;
  private attachedAt = 0;
  private seq = 0;

  constructor(private readonly options: StreamOptions) {
    this.id = options.id;
  }

  get isConnected(): boolean {
    return this.connection?.open === true;
  }

  /** Milliseconds since its connection came; 0 without one, or where no client could come back. */
  connectedForMs(now: number): number {
    return this.isConnected && this.options.isPrimed ? now - this.attachedAt : 0;
  }

  get lastSeq(): number {
    return this.seq;
  }

  /** The connection that it writes to from now on; one that is still there ends. `missed`: what its client asked for again. */
  attach(connection: EventStream, missed?: readonly KeptEvent[]): void {
    this.release();
    this.connection = connection;
    this.attachedAt = Date.now();
    if (missed !== undefined) {
      connection.begin();
      for (const event of missed) connection.write(this.textOf(event));
    } else if (this.options.isPrimed) {
      unprimed.add(this);
      timer ??= setTimeout(primeAll, primeAfterMs);
    }
  }

  prime(): void {
    const primer = this.takePrimer();
    if (primer !== '') this.connection?.write(primer);
  }

  send(data: string): void {
    this.connection?.write(this.takePrimer() + this.next(data, false));
  }

  /** The last message of the stream. */
  finish(data: string): void {
    this.connection?.finish(this.takePrimer() + this.next(data, true));
    this.connection = undefined;
  }

  /** Ends the connection; a client that is owed more comes back with the last id. */
  release(): void {
    this.prime();
    this.connection?.end();
    this.connection = undefined;
  }

  private next(data: string, isLast: boolean): string {
    this.seq += 1;
    const event = { stream: this.id, seq: this.seq, data, isLast };
    this.options.replay?.keep(event);
    return this.textOf(event);
  }

  private textOf({ seq, data }: KeptEvent): string {
    if (this.options.replay === undefined) return eventText({ name: 'message', data });
    return eventText({ name: 'message', id: eventId(this.id, seq), data });
  }

  private takePrimer(): string {
    if (!unprimed.delete(this)) return '';
    return eventText({ id: eventId(this.id, this.seq), retryMs, data: '' });
  }
}

/** Names the stream and the place in it. */
export interface EventPlace {
  readonly stream: number;
  readonly seq: number;
}

function eventId(stream: number, seq: number): string {
  return `${stream}.${seq}`;
}

export function readEventId(text: string): EventPlace | undefined {
  const [, stream, seq] = /^(\d{1,12})\.(\d{1,12})$/.exec(text) ?? [];
  return stream === undefined || seq === undefined ? undefined : { stream: Number(stream), seq: Number(seq) };
}
