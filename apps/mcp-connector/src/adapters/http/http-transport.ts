import type { IncomingMessage } from 'node:http';
import type { Transport, TransportSendOptions } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage, JSONRPCNotification, JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';
import { CallId } from '@uar/contracts';
import type { Bearer } from '../../domain/account/bearer.js';
import { decodeError, decodeFrame, encodeFrame, problemMessage } from '../frames/frame.js';
import { noteStream, type Stream } from '../frames/origin.js';
import { Noise } from '../noise.js';
import { AuthRequired, Broken, NotSent } from '../not-sent.js';
import { readAnswerStream } from './answer-stream.js';
import { contentTypeOf, readBody } from './body.js';
import { isOfNoSession } from '../stateless/revision.js';
import { configuredHeaders } from './configured-headers.js';
import { listenForNotifications } from './notification-stream.js';
import { dropIdleSockets, type HttpExchange, type HttpTarget } from './post.js';
import { sendAs } from './send-as.js';

export interface HttpTransportOptions {
  /** Its agent ends with the transport. */
  readonly target: HttpTarget;
  readonly headers: Readonly<Record<string, string>>;
  /** Who the connector is there, where headers do not say it. */
  readonly bearer?: Bearer | undefined;
  /** Longest message that is read. */
  readonly maxFrameBytes: number;
  /** The first fault in the handling of what the upstream sent; the connection lives on. */
  readonly onFault?: ((error: unknown) => void) | undefined;
}

const sessionPattern = /^[\x21-\x7e]{1,1024}$/;
/** How long the answer to a call that nobody waits for any more may still come, to be counted. */
const abandonedMs = 5_000;
/** How long the first request waits for the head of the standing stream. */
const standingMs = 1_000;
const closeMs = 1_000;
const maxErrorBytes = 64 * 1024;

/** MCP streamable HTTP (2025-03-26 and later) on node:http with a keep-alive agent of its own. */
export class HttpTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  private readonly target: HttpTarget;
  private readonly closing = new AbortController();
  /** Requests whose response has not come, by JSON-RPC id. */
  private readonly open = new Map<number, AbortController>();
  private readonly ownHeaders: Readonly<Record<string, string>>;
  private session: string | undefined;
  private protocolVersion: string | undefined;
  private readonly noise: Noise;

  constructor(private readonly options: HttpTransportOptions) {
    this.noise = new Noise(options.onFault);
    this.ownHeaders = configuredHeaders(options.headers);
    this.target = options.target;
  }

  /** Frames that were no JSON-RPC, and messages that could not be handled. */
  get noiseFrames(): number {
    return this.noise.count;
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  setProtocolVersion(version: string): void {
    this.protocolVersion = version;
  }

  /** Settles with the head of the response; what is wrong with its body becomes the answer of the request. */
  async send(message: JSONRPCMessage, { relatedRequestId }: TransportSendOptions = {}): Promise<void> {
    if (this.closing.signal.aborted) throw new NotSent('the connection is closed');
    const id = 'method' in message && 'id' in message ? Number(message.id) : undefined;
    const abort = new AbortController();
    if (id !== undefined) this.open.set(id, abort);
    try {
      const { data: callId } = CallId.safeParse(relatedRequestId);
      const response = await this.exchange({ ...this.post(encodeFrame(message), abort.signal), callId });
      await this.accept(response, id);
    } catch (error) {
      if (id !== undefined) this.open.delete(id);
      if (error instanceof Broken) dropIdleSockets(this.target);
      throw error;
    }
    if ('method' in message) await this.afterSending(message);
  }

  async close(): Promise<void> {
    if (this.closing.signal.aborted) return;
    this.closing.abort();
    for (const abort of this.open.values()) abort.abort();
    this.open.clear();
    if (this.session !== undefined) await this.deleteSession();
    this.target.agent.destroy();
    this.onclose?.();
  }

  private async afterSending(message: JSONRPCRequest | JSONRPCNotification): Promise<void> {
    if (message.method === 'notifications/cancelled') this.abandon(Number(message.params?.['requestId']));
    if (message.method === 'notifications/initialized') await this.listen();
  }

  /** Settles when the standing stream is there, so that nothing asked on it during the first call is lost, or soon without. */
  private async listen(): Promise<void> {
    await new Promise<void>((resolve) => {
      setTimeout(resolve, standingMs).unref();
      void listenForNotifications({
        open: (signal, lastEventId) => this.openStream(signal, lastEventId),
        maxBytes: this.options.maxFrameBytes,
        onData: (data) => this.receive(data, 'standing'),
        onHead: resolve,
        signal: this.closing.signal,
      }).then((gone) => (gone ? this.close() : undefined));
    });
  }

  /** `lastEventId`: the stream to go on with, behind that event. */
  private openStream(signal: AbortSignal, lastEventId: string | undefined): Promise<IncomingMessage> {
    const headers = {
      ...this.headers('text/event-stream'),
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    };
    return this.exchange({ method: 'GET', headers, signal });
  }

  private abandon(id: number): void {
    const abort = this.open.get(id);
    if (abort === undefined) return;
    const timer = setTimeout(() => {
      this.open.delete(id);
      abort.abort();
    }, abandonedMs);
    timer.unref();
    abort.signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  }

  private exchange(exchange: HttpExchange): Promise<IncomingMessage> {
    return sendAs(this.options.bearer, this.target, exchange);
  }

  private post(body: string, signal: AbortSignal): HttpExchange {
    const headers = {
      ...this.headers('application/json, text/event-stream'),
      'content-type': 'application/json',
    };
    return { method: 'POST', headers, body, signal };
  }

  private headers(accept: string): Record<string, string> {
    return {
      ...this.ownHeaders,
      accept,
      ...(this.session === undefined ? {} : { 'mcp-session-id': this.session }),
      ...(this.protocolVersion === undefined ? {} : { 'mcp-protocol-version': this.protocolVersion }),
    };
  }

  private async accept(response: IncomingMessage, id: number | undefined): Promise<void> {
    const status = response.statusCode ?? 0;
    if (status < 200 || status > 299) return await this.refused(response, status, id);
    const session = response.headers['mcp-session-id'];
    if (this.protocolVersion === undefined && typeof session === 'string' && sessionPattern.test(session))
      this.session = session;
    if (id === undefined) response.resume();
    else void this.answer(response, id);
  }

  /** 401 and 403 ask for other credentials; 404 with a session means that the upstream forgot it. */
  private async refused(response: IncomingMessage, status: number, id: number | undefined): Promise<void> {
    const type = contentTypeOf(response);
    const body = await readBody(response, maxErrorBytes).catch(() => undefined);
    if (status === 401 || status === 403) throw new AuthRequired(`the upstream answered HTTP ${status}`);
    if (status === 404 && this.session !== undefined) {
      this.session = undefined;
      queueMicrotask(() => void this.close());
      throw new Broken('the upstream ended the session');
    }
    const text = type === 'application/json' && body?.kind === 'text' ? body.text : undefined;
    // It has no sessions any more: what stands there is to be found out anew.
    if (status === 400 && text !== undefined && isOfNoSession(decodeError(text)))
      queueMicrotask(() => void this.close());
    const error = decodeFrame(text ?? '', 'raw')?.find((message) => 'error' in message);
    if (error === undefined || id === undefined) throw new Broken(`the upstream answered HTTP ${status}`);
    this.settle({ ...error, id }, id);
  }

  /** Reads the response to a request; ends in exactly one answer to it. */
  private async answer(response: IncomingMessage, id: number): Promise<void> {
    const problem = await this.readAnswer(response, id).catch(
      () => ({ kind: 'transport_failure', message: 'the answer was cut' }) as const,
    );
    if (this.open.has(id)) this.settle(problemMessage(id, problem), id);
  }

  private async readAnswer(
    response: IncomingMessage,
    id: number,
  ): Promise<Parameters<typeof problemMessage>[1]> {
    const maxBytes = this.options.maxFrameBytes;
    if (contentTypeOf(response) === 'text/event-stream')
      return await readAnswerStream(response, {
        maxBytes,
        onData: (data) => this.receive(data, id),
        isAnswered: () => !this.open.has(id),
        reopen: (lastEventId, signal) => this.openStream(signal, lastEventId),
        signal: this.open.get(id)?.signal ?? AbortSignal.abort(),
      });
    const body = await readBody(response, maxBytes);
    if (body.kind === 'too_long') return { kind: 'result_too_large', bytes: body.bytes };
    this.receive(body.text, id);
    return { kind: 'transport_failure', message: 'the response holds no answer' };
  }

  private receive(text: string, stream: Stream): void {
    this.noise.guard(() => {
      const messages = decodeFrame(text, this.protocolVersion === undefined ? 'parsed' : 'raw');
      if (messages === undefined) this.noise.add();
      for (const message of messages ?? []) {
        noteStream(message, stream);
        this.settle(message, 'method' in message ? undefined : Number(message.id));
      }
    });
  }

  private settle(message: JSONRPCMessage, id: number | undefined): void {
    if (id !== undefined) this.open.delete(id);
    this.noise.guard(() => this.onmessage?.(message));
  }

  private async deleteSession(): Promise<void> {
    const signal = AbortSignal.timeout(closeMs);
    const exchange = { method: 'DELETE', headers: this.headers('application/json'), signal } as const;
    await this.exchange(exchange).then(
      (response) => response.resume(),
      () => undefined,
    );
  }
}
