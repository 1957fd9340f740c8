import type { IncomingMessage } from 'node:http';
import type { Bearer } from '../../domain/account/bearer.js';
import { decodeError, decodeFrame, type RequestProblem } from '../frames/frame.js';
import { contentTypeOf, readBody, readEvents } from '../http/body.js';
import { configuredHeaders } from '../http/configured-headers.js';
import { dropIdleSockets, type HttpTarget } from '../http/post.js';
import { sendAs } from '../http/send-as.js';
import { Noise } from '../noise.js';
import { AuthRequired, Broken, Forbidden, NotSent } from '../not-sent.js';
import { withOwnSignal } from '../own-signal.js';
import { requestHeaders } from './request-headers.js';
import { noAnswer, replyOf, type Reply, type Wire, type WireRequest } from './wire.js';

export interface HttpWireOptions {
  /** Its agent ends with the wire. */
  readonly target: HttpTarget;
  readonly headers: Readonly<Record<string, string>>;
  readonly bearer?: Bearer | undefined;
  /** Longest message that is read. */
  readonly maxFrameBytes: number;
  readonly onFault?: ((error: unknown) => void) | undefined;
}

/** How long an event stream may stay open behind the answer that it was for. */
const lingerMs = 1_000;
const maxErrorBytes = 64 * 1024;
const cut = { kind: 'transport_failure', message: 'the answer was cut' } as const;

interface Expected {
  readonly id: number;
  readonly request: WireRequest;
}

/** MCP 2026-07-28 over HTTP: each request is a POST, and its response all that there is of it. Closing it cancels. */
export class HttpWire implements Wire {
  readonly ended: Promise<void>;
  private readonly ownHeaders: Readonly<Record<string, string>>;
  private readonly open = new Set<AbortController>();
  private readonly noise: Noise;
  private lastId = 0;
  private end: (() => void) | undefined;

  constructor(private readonly options: HttpWireOptions) {
    this.noise = new Noise(options.onFault);
    this.ownHeaders = configuredHeaders(options.headers);
    this.ended = new Promise((resolve) => {
      this.end = resolve;
    });
  }

  async request(request: WireRequest): Promise<Reply> {
    if (this.end === undefined) throw new NotSent('the connection is closed');
    return await withOwnSignal(request.signal, async (own) => {
      this.open.add(own);
      try {
        return await this.exchange(request, own.signal);
      } catch (error) {
        if (error instanceof Broken) dropIdleSockets(this.options.target);
        throw error;
      } finally {
        this.open.delete(own);
      }
    });
  }

  close(): Promise<void> {
    for (const own of this.open) own.abort();
    this.options.target.agent.destroy();
    this.end?.();
    this.end = undefined;
    return Promise.resolve();
  }

  private async exchange(request: WireRequest, signal: AbortSignal): Promise<Reply> {
    const id = (this.lastId += 1);
    const { bearer, target } = this.options;
    const response = await sendAs(bearer, target, {
      method: 'POST',
      headers: {
        ...this.ownHeaders,
        ...requestHeaders(request),
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
      },
      body: `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(request.method)},"params":${request.paramsText}}`,
      signal,
      callId: request.callId,
    });
    const status = response.statusCode ?? 0;
    if (status < 200 || status > 299) return await refusal(response, status);
    return await this.answer(response, { id, request }).catch(() => cut);
  }

  private async answer(response: IncomingMessage, expected: Expected): Promise<Reply> {
    if (contentTypeOf(response) === 'text/event-stream') return await this.stream(response, expected);
    const body = await readBody(response, this.options.maxFrameBytes);
    if (body.kind === 'too_long') return { kind: 'result_too_large', bytes: body.bytes };
    return this.read(body.text, expected) ?? noAnswer;
  }

  private async stream(response: IncomingMessage, expected: Expected): Promise<Reply> {
    return await new Promise((resolve) => {
      void readEvents(response, {
        maxBytes: this.options.maxFrameBytes,
        onData: (data) => {
          const reply = this.read(data, expected);
          if (reply === undefined) return;
          resolve(reply);
          setTimeout(() => response.destroy(), lingerMs).unref();
        },
        onTooLong: (bytes) => {
          resolve({ kind: 'result_too_large', bytes });
          response.destroy();
        },
      }).then(() => resolve(cut));
    });
  }

  /** The answer, where the message is it. */
  private read(text: string, { id, request }: Expected): Reply | undefined {
    const [message] = decodeFrame(text, 'strict') ?? [];
    if (message === undefined) this.noise.add();
    else if (!('method' in message)) return Number(message.id) === id ? replyOf(message) : undefined;
    // It has nothing to ask us.
    else if ('id' in message) this.noise.add();
    else this.noise.guard(() => request.onNotification(message));
    return undefined;
  }
}

async function refusal(response: IncomingMessage, status: number): Promise<Reply> {
  const isJson = contentTypeOf(response) === 'application/json';
  const body = await readBody(response, maxErrorBytes).catch(() => undefined);
  if (status === 401) throw new AuthRequired('the upstream answered HTTP 401');
  if (status === 403) throw new Forbidden('the upstream answered HTTP 403');
  const error = isJson && body?.kind === 'text' ? decodeError(body.text) : undefined;
  return error === undefined || isOfSessions(error) ? { kind: 'no_answer', status } : error;
}

/** Codes that servers of this revision do not use: what stands there may speak another one. */
function isOfSessions(error: RequestProblem['problem']): boolean {
  return error.kind === 'upstream_error' && error.code <= -32_000 && error.code > -32_020;
}
