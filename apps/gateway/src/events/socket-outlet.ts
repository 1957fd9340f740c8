import type { WebSocket } from 'ws';
import type { ShownEvent } from '../domain/event/shown-events.js';
import type { Outlet, StreamEnd } from '../domain/event/streams.js';
import { mostUnsentBytes, type EventTexts } from './texts.js';

const ends: Readonly<Record<StreamEnd, readonly [code: number, reason: string]>> = {
  run_ended: [1000, 'the run has ended'],
  token_expired: [1008, 'the token has expired'],
  not_allowed: [1008, 'no longer allowed'],
  too_slow: [1013, 'too slow: come back with the last id'],
  unavailable: [1013, 'a part is not available: come back with the last id'],
  stopping: [1001, 'the gateway stops: come back with the last id'],
};
/** A client may answer our close for this long. */
const closeGraceMs = 500;

/** The same stream as one JSON text per event (RFC 6455). */
export class SocketOutlet implements Outlet {
  private readonly drainListeners: (() => void)[] = [];
  private wasFull = false;

  constructor(
    private readonly socket: WebSocket,
    private readonly texts: EventTexts,
  ) {}

  get isFull(): boolean {
    const isFull = this.socket.bufferedAmount > mostUnsentBytes;
    this.wasFull ||= isFull;
    return isFull;
  }

  send(event: ShownEvent): void {
    for (const { text } of this.texts.of(event)) this.socket.send(text, () => this.sent());
  }

  end(reason: StreamEnd): void {
    for (const { text } of this.texts.atEnd(reason)) this.socket.send(text);
    this.socket.close(...ends[reason]);
    const timer = setTimeout(() => this.socket.terminate(), closeGraceMs);
    this.socket.once('close', () => clearTimeout(timer));
  }

  onDrain(listener: () => void): void {
    this.drainListeners.push(listener);
  }

  onClose(listener: () => void): void {
    if (this.socket.readyState === this.socket.CLOSED) listener();
    else this.socket.once('close', listener);
  }

  private sent(): void {
    if (!this.wasFull || this.isFull) return;
    this.wasFull = false;
    for (const listener of this.drainListeners) listener();
  }
}
