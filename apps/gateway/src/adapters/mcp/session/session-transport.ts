import type { Transport, TransportSendOptions } from '@modelcontextprotocol/sdk/shared/transport.js';
import { isJSONRPCRequest, type JSONRPCMessage, type RequestId } from '@modelcontextprotocol/sdk/types.js';
import { stringifyWithText } from '@uar/json-text';
import type { EventStream } from '../../http/event-stream.js';
import type { ClientRequests } from '../client/client-requests.js';
import type { SessionRequests } from '../calls/session-requests.js';
import type { ClientFrame } from '../frame.js';
import { rpcCodes } from '../rpc-codes.js';
import type { KeptEvent, SessionReplay } from './replay-store.js';
import { readEventId, SessionStream } from './session-stream.js';

export interface TransportOptions {
  /** What clients may ask for again; undefined where they cannot (HTTP+SSE of 2024-11-05). */
  readonly replay: SessionReplay | undefined;
  /** Do streams begin with an event without data? Asked for each, as the revision is not known before the first. */
  isPrimed(): boolean;
}

/** `unknown`: no such stream, or what came after the id is not kept any more. */
export type Resumption = 'resumed' | 'unknown';

/**
 * The server side of one session (MCP 2025-11-25, "Transports"), as a transport of the SDK's `Server`. A request is answered on
 * the stream of its own POST, everything else goes out on the session's standing stream; in HTTP+SSE of 2024-11-05 answers do too.
 * Without a standing stream all that is kept is that a list changed: the client read its lists before.
 */
export class SessionTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport['onmessage'];
  /** Answers the requests it takes; all others go to the SDK. */
  sessionRequests: SessionRequests | undefined;
  /** Takes the answers to its own requests; all others go to the SDK. */
  clientRequests: ClientRequests | undefined;

  private readonly requests = new Map<RequestId, SessionStream>();
  /** By id, those that may still say something. */
  private readonly streams = new Map<number, SessionStream>();
  private standing: SessionStream | undefined;
  private opened = 0;
  /** Texts of `list_changed` notifications nobody got yet, by method. */
  private readonly untold = new Map<string, string>();
  private closed = false;
  private lonelySince: number | undefined;

  constructor(
    readonly sessionId: string,
    private readonly options: TransportOptions,
  ) {}

  start(): Promise<void> {
    return Promise.resolve();
  }

  /**
   * The messages of one POST, answered on this connection; without one, on the standing stream. False, and nothing is taken,
   * when the id of a request is still in flight in this session (JSON-RPC ids must be unique while in use).
   */
  take(frames: readonly ClientFrame[], connection?: EventStream): boolean {
    const ids = frames.flatMap((frame) => (frame.kind === 'request' ? [frame.id] : []));
    const isTwice = ids.length > 1 && new Set(ids).size < ids.length;
    if (this.closed || isTwice || ids.some((id) => this.requests.has(id))) return false;
    if (ids.length > 0 && !this.expect(ids, connection)) return false;
    for (const frame of frames) this.deliver(frame);
    return true;
  }

  /** False when the session's standing stream is connected already (one per session). */
  openStanding(connection: EventStream): boolean {
    if (this.closed || this.standing?.isConnected === true) return false;
    if (this.standing !== undefined) this.streams.delete(this.standing.id);
    this.standing = this.openStream();
    this.connect(this.standing, connection);
    connection.begin();
    this.tellUntold(this.standing);
    return true;
  }

  /** Goes on with the stream that a client lost, on a new connection (MCP "Resumability and Redelivery"). */
  resume(lastEventId: string, connection: EventStream): Resumption {
    const place = readEventId(lastEventId);
    const { replay } = this.options;
    if (place === undefined || replay === undefined || this.closed) return 'unknown';
    const events = replay.after(place.stream, place.seq);
    const live = this.streams.get(place.stream);
    // Of the standing stream a client wants what there is; an answer that has lost its beginning is none.
    const isStanding = live !== undefined && live === this.standing;
    if (!isStanding && events.length !== (live?.lastSeq ?? lastOf(events)) - place.seq) return 'unknown';
    const stream = live ?? new SessionStream({ id: place.stream, replay, isPrimed: false });
    this.connect(stream, connection, events);
    if (live === undefined) stream.release();
    if (isStanding) this.untold.clear();
    return 'resumed';
  }

  /** Ends connections that are older than this: their clients come back, so that nothing between us has to hold one for so long. */
  releaseOlderThan(ms: number, now: number): void {
    for (const stream of this.streams.values()) if (stream.connectedForMs(now) > ms) stream.release();
  }

  /** Milliseconds for which requests have waited here while the client held no stream open; 0 while it does. */
  lonelyForMs(now: number): number {
    if (this.lonelySince === undefined || this.requests.size === 0 || this.hasStream()) return 0;
    return now - this.lonelySince;
  }

  /** Has this request no answer yet? */
  isWaiting(request: RequestId): boolean {
    return this.requests.has(request);
  }

  /** Has the client listened for what belongs to no request? It may come back for what it missed since. */
  get hasStanding(): boolean {
    return this.standing !== undefined;
  }

  get isBusy(): boolean {
    return this.requests.size > 0;
  }

  hasStream(): boolean {
    for (const stream of this.streams.values()) if (stream.isConnected) return true;
    return false;
  }

  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const text = stringifyWithText(message);
    const answered = !('method' in message) && 'id' in message ? message.id : undefined;
    if (answered !== undefined) this.answer(answered, text);
    else if (options?.relatedRequestId !== undefined) this.requests.get(options.relatedRequestId)?.send(text);
    else this.tell(text, 'method' in message ? message.method : '');
    return Promise.resolve();
  }

  close(): Promise<void> {
    if (this.closed) return Promise.resolve();
    this.closed = true;
    for (const stream of this.streams.values()) stream.release();
    this.streams.clear();
    this.requests.clear();
    this.standing = undefined;
    this.options.replay?.clear();
    this.onclose?.();
    return Promise.resolve();
  }

  private openStream(): SessionStream {
    this.opened += 1;
    const { replay } = this.options;
    const stream = new SessionStream({ id: this.opened, replay, isPrimed: this.options.isPrimed() });
    this.streams.set(stream.id, stream);
    return stream;
  }

  private expect(ids: readonly RequestId[], connection: EventStream | undefined): boolean {
    const stream = connection === undefined ? this.standing : this.openStream();
    if (stream === undefined) return false;
    for (const id of ids) this.requests.set(id, stream);
    if (connection === undefined) return true;
    stream.pending = ids.length;
    this.connect(stream, connection);
    return true;
  }

  private connect(stream: SessionStream, connection: EventStream, events?: readonly KeptEvent[]): void {
    connection.onClose(() => {
      this.lonelySince = Date.now();
    });
    stream.attach(connection, events);
  }

  private deliver(frame: ClientFrame): void {
    if (frame.kind === 'request' && this.sessionRequests?.take(frame) === true) return;
    if (frame.kind === 'response' && this.clientRequests?.take(frame) === true) return;
    if (frame.kind === 'request' && !isJSONRPCRequest(frame.message)) return this.refuse(frame.id);
    this.onmessage?.(frame.message as JSONRPCMessage);
    if (frame.kind === 'notification' && frame.method === 'notifications/cancelled') this.endCancelled(frame);
  }

  /** What the SDK does not know as a request it would leave without an answer. */
  private refuse(id: RequestId): void {
    const error = {
      code: rpcCodes.invalidParams,
      message: '_meta must be an object, its members of the types that MCP says',
    };
    this.answer(id, JSON.stringify({ jsonrpc: '2.0', id, error }));
  }

  private tell(text: string, method: string): void {
    this.standing?.send(text);
    if (this.standing?.isConnected !== true && method.endsWith('/list_changed'))
      this.untold.set(method, text);
  }

  private tellUntold(stream: SessionStream): void {
    for (const text of this.untold.values()) stream.send(text);
    this.untold.clear();
  }

  private answer(id: RequestId, text: string): void {
    const stream = this.requests.get(id);
    if (stream === undefined) return;
    this.settle(id, stream);
    if (stream === this.standing || stream.pending > 0) return stream.send(text);
    stream.finish(text);
  }

  /** A cancelled request gets no response: where it was the last of its stream, the stream ends. */
  private endCancelled(frame: ClientFrame): void {
    const params = (frame.message as { params?: { requestId?: unknown } }).params;
    const id = params?.requestId;
    if (typeof id !== 'string' && typeof id !== 'number') return;
    this.sessionRequests?.cancel(id);
    const stream = this.requests.get(id);
    if (stream === undefined) return;
    this.settle(id, stream);
    if (stream !== this.standing && stream.pending === 0) stream.release();
  }

  private settle(id: RequestId, stream: SessionStream): void {
    this.requests.delete(id);
    if (stream !== this.standing) stream.pending -= 1;
    if (stream !== this.standing && stream.pending === 0) this.streams.delete(stream.id);
  }
}

/** Of a stream that has ended: its last number, where the end is still kept. */
function lastOf(events: readonly KeptEvent[]): number {
  const last = events.at(-1);
  return last?.isLast === true ? last.seq : Number.NaN;
}
