import type { ServerResponse } from 'node:http';
import { EventStream } from '../adapters/http/event-stream.js';
import type { ShownEvent } from '../domain/event/shown-events.js';
import type { Outlet, StreamEnd } from '../domain/event/streams.js';
import { mostUnsentBytes, type EventTexts } from './texts.js';

const reconnectMs = 2_000;

/** A stream of server-sent events (WHATWG HTML 9.2) with ids. */
export class SseOutlet implements Outlet {
  private readonly stream: EventStream;

  constructor(
    private readonly response: ServerResponse,
    private readonly texts: EventTexts,
  ) {
    this.stream = new EventStream(response, {});
    this.stream.begin();
    response.write(`retry: ${reconnectMs}\n\n`);
  }

  get isFull(): boolean {
    return this.response.writableLength > mostUnsentBytes;
  }

  send(event: ShownEvent): void {
    const texts = this.texts.of(event);
    // The id stands at the last of several texts: whoever has lost one of them gets them all again.
    for (const [index, { name, text }] of texts.entries())
      this.stream.send(text, { name, ...(index === texts.length - 1 ? { id: event.id } : {}) });
  }

  /** Whoever comes back with the last id goes on there, or is told why it may not. */
  end(reason: StreamEnd): void {
    if (reason === 'too_slow') {
      this.response.destroy();
      return;
    }
    for (const { name, text } of this.texts.atEnd(reason)) this.stream.send(text, { name });
    this.stream.end();
  }

  onDrain(listener: () => void): void {
    this.response.on('drain', listener);
  }

  onClose(listener: () => void): void {
    if (this.response.destroyed) listener();
    else this.response.once('close', listener);
  }
}
