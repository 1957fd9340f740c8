import { randomInt } from 'node:crypto';
import type { Transport, TransportSendOptions } from '@modelcontextprotocol/sdk/shared/transport.js';
import { isJSONRPCRequest, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { CallId } from '@uar/contracts';
import type { ClientSide } from '../domain/client-side.js';
import { ClientRequests } from './asked/client-requests.js';
import { OwnRequests, type SentRequest } from './own-requests.js';
import { RunningCalls } from './asked/running-calls.js';
import type { TimeLimit } from './asked/time-limit.js';
import { noticeText, progressText } from './notice-text.js';

type Message = JSONRPCMessage;
type Notification = Extract<Message, { method: string }>;

/** Requests of the upstream that wait for an answer to be sent, at most; further ones are ignored. */
const mostRequests = 64;
const longestRequestId = 256;
/** Tokens begin anywhere: one that a caller wrote into `params` of its own is none of ours. */
const highestFirstToken = 2 ** 47;

export interface ProgressTapOptions {
  readonly onToolsChanged: () => void;
  readonly client: ClientSide;
}

/**
 * Takes notifications out of a transport before the SDK's client sees them: the client handles them a tick late, when a
 * result that arrived together with them has already ended the call, it drops members that it does not know, and each
 * of a flood would wait in memory. So it does with requests that are for a client: the SDK's would parse and print them.
 */
export class ProgressTap implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: Message) => void;
  private readonly listeners = new Map<number, (paramsJson: string) => void>();
  private readonly tokens = new Map<number, number>();
  /** Ids of the upstream's requests whose answers are not sent yet. */
  private readonly requests = new Set<string | number>();
  private readonly calls = new RunningCalls();
  private readonly asked: ClientRequests;
  private readonly own = new OwnRequests((message, options) => this.send(message, options));
  private lastToken = randomInt(highestFirstToken);
  private ignored = 0;
  private spoken = '';

  constructor(
    private readonly inner: Transport,
    private readonly options: ProgressTapOptions,
  ) {
    this.asked = new ClientRequests({
      ...{ client: options.client, calls: this.calls },
      send: (message) => this.send(message),
      onGone: (id) => this.requests.delete(id),
    });
  }

  /** Requests of the upstream that are never answered. */
  get ignoredRequests(): number {
    return this.ignored;
  }

  /** Of MCP; empty until it is agreed on. */
  get revision(): string {
    return this.spoken;
  }

  /** A token for the `_meta` of one request. Its progress is heard until the answer, or until `unlisten`. */
  listen(onProgress: (paramsJson: string) => void): number {
    this.lastToken += 1;
    this.listeners.set(this.lastToken, onProgress);
    return this.lastToken;
  }

  unlisten(token: number): void {
    this.listeners.delete(token);
  }

  /** Stands still while the client of the call is asked. */
  limit(callId: CallId, limit: TimeLimit): void {
    this.calls.limit(callId, limit);
  }

  /** Client capabilities that the upstream missed during the call. */
  lackingOf(callId: CallId): readonly string[] {
    return this.calls.lackingOf(callId);
  }

  /** Sends a request that the SDK's client does not hear of. */
  request(
    request: { method: string; params: Record<string, unknown> },
    callId: CallId | undefined,
  ): SentRequest {
    return this.own.request(request, callId === undefined ? {} : { relatedRequestId: callId });
  }

  /** The request that was sent as `relatedRequestId: callId` is over. */
  ended(callId: CallId): void {
    this.calls.end(callId);
  }

  async start(): Promise<void> {
    this.inner.onclose = () => {
      this.asked.end();
      this.own.end();
      this.onclose?.();
    };
    this.inner.onerror = (error) => this.onerror?.(error);
    this.inner.onmessage = (message: Message) => this.pass(message);
    await this.inner.start();
  }

  setProtocolVersion(version: string): void {
    this.spoken = version;
    this.inner.setProtocolVersion?.(version);
  }

  async send(message: Message, options: TransportSendOptions = {}): Promise<void> {
    if ('method' in message && 'id' in message) {
      if (this.listeners.size > 0) this.noteToken(message);
      const call = CallId.safeParse(options.relatedRequestId);
      if (call.success) this.calls.begin(Number(message.id), call.data);
    }
    try {
      await this.inner.send(message, options);
    } finally {
      if (!('method' in message) && message.id !== undefined) this.requests.delete(message.id);
    }
  }

  async close(): Promise<void> {
    await this.inner.close();
  }

  private noteToken({
    id,
    params,
  }: {
    id: string | number;
    params?: { _meta?: object | undefined } | undefined;
  }): void {
    const meta = params?._meta;
    if (meta !== undefined && 'progressToken' in meta)
      this.tokens.set(Number(id), Number(meta.progressToken));
  }

  private pass(message: Message): void {
    if ('method' in message) {
      if (!('id' in message)) this.notice(message);
      else if (this.admit(message) && !this.asked.take(message)) this.onmessage?.(message);
      return;
    }
    if (this.tokens.size > 0) {
      const id = Number(message.id);
      this.unlisten(this.tokens.get(id) ?? 0);
      this.tokens.delete(id);
    }
    if (!this.own.take(message)) this.onmessage?.(message);
  }

  private notice(message: Notification): void {
    const { method, params } = message;
    if (method === 'notifications/progress') this.progress(params);
    else if (method === 'notifications/tools/list_changed') this.options.onToolsChanged();
    else if (method === 'notifications/cancelled') this.asked.cancel(params?.['requestId']);
    else this.tell(message);
  }

  private tell(message: Notification): void {
    const paramsJson = noticeText(message);
    if (paramsJson === undefined) return;
    const callId = this.calls.during(message);
    const call = callId === undefined ? {} : { callId };
    this.options.client.onNotice({ method: message.method, paramsJson, ...call });
  }

  private progress(params: Notification['params']): void {
    const listener = this.listeners.get(Number(params?.['progressToken']));
    const text = listener === undefined ? undefined : progressText(params);
    if (text !== undefined) listener?.(text);
  }

  /** Only what the client will answer may take a place: nothing else would give it back. */
  private admit(message: Message): message is Extract<Message, { method: string; id: string | number }> {
    const isAdmitted =
      this.requests.size < mostRequests &&
      isJSONRPCRequest(message) &&
      !this.requests.has(message.id) &&
      String(message.id).length <= longestRequestId;
    if (isAdmitted) this.requests.add(message.id);
    else this.ignored += 1;
    return isAdmitted;
  }
}
