import type { ServerResponse } from 'node:http';
import { eventText } from './event-text.js';

const keepAliveMs = 15_000;
const sweepMs = 1_000;
/** A connection that takes nothing of what waits for it for this long is closed. */
const stalledMs = 60_000;
/** More than this waiting at a connection, and what comes next closes it. One answer may be longer. */
const mostUnsentBytes = 1024 * 1024;

/** Open streams by when they are due for a comment, the next one first: each waits equally long. One timer serves them all. */
const dueAt = new Map<EventStream, number>();
let sweeper: NodeJS.Timeout | undefined;

function sweep(): void {
  const now = performance.now();
  for (const [stream, due] of dueAt) {
    if (due > now) return;
    dueAt.delete(stream);
    dueAt.set(stream, now + keepAliveMs);
    stream.comment();
  }
}

const streamHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

/**
 * One server-sent event stream (WHATWG HTML 9.2) on a raw response. Headers go out with the first event, so that a quick
 * answer is a single write; a stream that is silent for 15 s sends a comment.
 */
export class EventStream {
  private started = false;
  private readonly closeListeners: (() => void)[] = [];

  constructor(
    private readonly response: ServerResponse,
    private readonly headers: Readonly<Record<string, string>>,
  ) {
    if (response.destroyed) return;
    dueAt.set(this, performance.now() + keepAliveMs);
    sweeper ??= setInterval(sweep, sweepMs).unref();
    response.once('close', () => this.closed());
  }

  get open(): boolean {
    return !this.response.writableEnded && !this.response.destroyed;
  }

  /** Tells at once where the client is gone already. */
  onClose(listener: () => void): void {
    if (this.response.destroyed) listener();
    else this.closeListeners.push(listener);
  }

  /** Sends the headers now: a standing stream has to be seen as open before its first event. */
  begin(): void {
    if (this.started || !this.open) return;
    this.started = true;
    this.response.writeHead(200, { ...streamHeaders, ...this.headers });
    this.response.flushHeaders();
    this.response.socket?.setTimeout(stalledMs);
  }

  /** Text of whole events. Whoever does not read what was written before loses the stream. */
  write(events: string): void {
    if (!this.open) return;
    if (this.response.writableLength > mostUnsentBytes) return this.drop();
    this.begin();
    this.response.write(events);
  }

  /** An event of a name, with an id where a client may go on after it. */
  send(data: string, { name, id }: { readonly name: string; readonly id?: number }): void {
    if (!this.open) return;
    this.begin();
    this.response.write(eventText({ data, name, ...(id === undefined ? {} : { id }) }));
  }

  /** The last events: written together with the end of the stream. */
  finish(events: string): void {
    if (!this.open) return;
    if (this.response.writableLength > mostUnsentBytes) return this.drop();
    // A whole answer with a known length leaves in one piece; chunks would be four.
    if (!this.started) {
      const length = Buffer.byteLength(events);
      this.response.writeHead(200, { ...streamHeaders, ...this.headers, 'content-length': length });
    }
    this.started = true;
    this.response.end(events);
    if (this.response.writableLength > 0) this.response.socket?.setTimeout(stalledMs);
  }

  end(): void {
    if (!this.open) return;
    this.begin();
    this.response.end();
  }

  /** The response will be used for something else. */
  discard(): void {
    this.closed();
  }

  /** Ends the connection, with whatever was not sent. */
  drop(): void {
    this.response.destroy();
  }

  /** Shows that the stream still stands; not to whoever has not yet read what came before. */
  comment(): void {
    if (!this.open || this.response.writableLength > 0) return;
    this.begin();
    this.response.write(': keep-alive\n\n');
  }

  private closed(): void {
    dueAt.delete(this);
    for (const listener of this.closeListeners) listener();
  }
}
