import type { Transport, TransportSendOptions } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js';
import { stringifyWithText } from '@uar/json-text';
import type { ClientFrame } from '../frame.js';
import type { EventStream } from '../../http/event-stream.js';
import type { Elicitations } from '../calls/elicitations.js';
import type { ToolRequests } from '../calls/tool-requests.js';

type ClientRequest = Extract<ClientFrame, { kind: 'request' }>;

/**
 * The server side of one streamable HTTP session (MCP 2025-11-25, "Streamable HTTP"), as a transport of the SDK's `Server`:
 * every request is answered on the stream of its own POST, everything else goes out on the session's GET stream.
 * What cannot be delivered is dropped, as the specification allows without resumability; but that a list changed is said
 * once the client opens its stream: it read its lists before.
 */
export class SessionTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport['onmessage'];
  /** Answers the requests it takes; all others go to the SDK. */
  toolRequests: ToolRequests | undefined;
  /** Takes the answers to its own requests; all others go to the SDK. */
  elicitations: Elicitations | undefined;

  private readonly answers = new Map<RequestId, EventStream>();
  private standing: EventStream | undefined;
  /** Texts of `list_changed` notifications nobody got yet, by method. */
  private readonly untold = new Map<string, string>();
  private closed = false;
  private lonelySince: number | undefined;

  constructor(readonly sessionId: string) {}

  start(): Promise<void> {
    return Promise.resolve();
  }

  /** False when a request of this id is still in flight in this session (JSON-RPC ids must be unique while in use). */
  takeRequest(request: ClientRequest, stream: EventStream): boolean {
    if (this.closed || this.answers.has(request.id)) return false;
    this.answers.set(request.id, stream);
    this.watch(stream);
    if (this.toolRequests?.take(request) !== true) this.deliver(request);
    return true;
  }

  /** Notifications and responses: nothing is answered. A cancelled request gets no response, so its stream ends here. */
  deliver(frame: ClientFrame): void {
    if (frame.kind === 'response' && this.elicitations?.take(frame) === true) return;
    this.onmessage?.(frame.message as JSONRPCMessage);
    if (frame.kind === 'notification' && frame.method === 'notifications/cancelled') this.endCancelled(frame);
  }

  /** False when the session already has a standing stream (one per session). */
  openStanding(stream: EventStream): boolean {
    if (this.standing !== undefined) return false;
    this.standing = stream;
    this.watch(stream);
    stream.onClose(() => {
      if (this.standing === stream) this.standing = undefined;
    });
    for (const text of this.untold.values()) stream.write(text);
    this.untold.clear();
    return true;
  }

  /** Milliseconds for which requests have waited here while the client held no stream open; 0 while it does. */
  lonelyForMs(now: number): number {
    if (this.lonelySince === undefined || this.answers.size === 0 || this.hasStream()) return 0;
    return now - this.lonelySince;
  }

  /** Has this request no answer yet? */
  isWaiting(request: RequestId): boolean {
    return this.answers.has(request);
  }

  hasStream(): boolean {
    return this.standing !== undefined || [...this.answers.values()].some((stream) => stream.open);
  }

  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const text = stringifyWithText(message);
    const answered = !('method' in message) && 'id' in message ? message.id : undefined;
    if (answered !== undefined) {
      this.answers.get(answered)?.finish(text);
      this.answers.delete(answered);
      return Promise.resolve();
    }
    const related = options?.relatedRequestId;
    const stream = related === undefined ? this.standing : this.answers.get(related);
    if (stream !== undefined) stream.write(text);
    else if ('method' in message && message.method.endsWith('/list_changed'))
      this.untold.set(message.method, text);
    return Promise.resolve();
  }

  close(): Promise<void> {
    if (this.closed) return Promise.resolve();
    this.closed = true;
    for (const stream of this.answers.values()) stream.end();
    this.answers.clear();
    this.standing?.end();
    this.standing = undefined;
    this.onclose?.();
    return Promise.resolve();
  }

  private watch(stream: EventStream): void {
    stream.onClose(() => {
      this.lonelySince = Date.now();
    });
  }

  private endCancelled(frame: ClientFrame): void {
    const params = (frame.message as { params?: { requestId?: unknown } }).params;
    const id = params?.requestId;
    if (typeof id !== 'string' && typeof id !== 'number') return;
    this.toolRequests?.cancel(id);
    this.answers.get(id)?.end();
    this.answers.delete(id);
  }
}
