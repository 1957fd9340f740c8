import type { ServerResponse } from 'node:http';

const keepAliveMs = 15_000;
const sweepMs = 1_000;

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
    dueAt.set(this, performance.now() + keepAliveMs);
    sweeper ??= setInterval(sweep, sweepMs).unref();
    response.once('close', () => this.closed());
  }

  get open(): boolean {
    return !this.response.writableEnded && !this.response.destroyed;
  }

  onClose(listener: () => void): void {
    this.closeListeners.push(listener);
  }

  /** Sends the headers now: a standing stream has to be seen as open before its first event. */
  begin(): void {
    if (this.started || !this.open) return;
    this.started = true;
    this.response.writeHead(200, { ...streamHeaders, ...this.headers });
    this.response.flushHeaders();
  }

  write(data: string): void {
    if (!this.open) return;
    this.begin();
    this.response.write(event(data));
  }

  /** An event of a name, with an id where a client may go on after it. */
  send(data: string, { name, id }: { readonly name: string; readonly id?: number }): void {
    if (!this.open) return;
    this.begin();
    this.response.write(`${id === undefined ? '' : `id: ${id}\n`}${event(data, name)}`);
  }

  /** The last event: written together with the end of the stream. */
  finish(data: string): void {
    if (!this.open) return;
    const last = event(data);
    // A whole answer with a known length leaves in one piece; chunks would be four.
    if (!this.started) {
      const length = Buffer.byteLength(last);
      this.response.writeHead(200, { ...streamHeaders, ...this.headers, 'content-length': length });
    }
    this.started = true;
    this.response.end(last);
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

  /** Shows that the stream still stands. */
  comment(): void {
    if (!this.open) return;
    this.begin();
    this.response.write(': keep-alive\n\n');
  }

  private closed(): void {
    dueAt.delete(this);
    for (const listener of this.closeListeners) listener();
  }
}

/** JSON text has no raw line breaks once compact; upstream text might, and each line needs its own `data:`. */
function event(data: string, name = 'message'): string {
  const body = data.includes('\n') || data.includes('\r') ? data.split(/\r\n|\r|\n/).join('\ndata: ') : data;
  return `event: ${name}\ndata: ${body}\n\n`;
}
