import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { RequestId } from '@modelcontextprotocol/sdk/types.js';
import type { JsonText } from '@uar/json-text';
import { rpcCodes } from '../rpc-codes.js';
import { RpcError } from './call-result.js';
import type { ClientFrame } from '../frame.js';

type RequestFrame = Extract<ClientFrame, { kind: 'request' }>;

/** What a running request lends to whoever answers it. */
export interface SessionRequest {
  readonly id: RequestId;
  readonly params: unknown;
  /** The call that it became: what upstreams ask for or tell meanwhile belongs to this request. */
  runs(call: { readonly callId: string }): void;
  /** One listener: told once, when the client cancels the request or the session ends. */
  onCancel(listener: () => void): void;
  /** Sends the `params` of a progress notification on the stream of the request. */
  notify(params: Record<string, unknown>): void;
}

export type Answering = (request: SessionRequest) => Promise<JsonText>;

export interface SessionRequestParts {
  /** By method. */
  readonly answers: ReadonlyMap<string, Answering>;
  readonly send: Transport['send'];
  /** Told when a request is answered or cancelled: nothing is said on its behalf any more. */
  over(request: RequestId): void;
}

interface Running {
  cancelled: boolean;
  listener: (() => void) | undefined;
  call: { readonly callId: string } | undefined;
}

const relatedTask = 'io.modelcontextprotocol/related-task';

/**
 * The requests of one session that are ours, answered as the SDK's protocol layer answers requests (nothing for a cancelled
 * one), but without its three parses, its controller and its closures for each: `readFrame` has checked the frame.
 */
export class SessionRequests {
  private readonly running = new Map<RequestId, Running>();

  constructor(private readonly parts: SessionRequestParts) {}

  /** False: not one of these, or one that speaks of tasks, which the SDK knows how to refuse. */
  take({ id, method, message }: RequestFrame): boolean {
    const { params } = message;
    const answer = this.parts.answers.get(method);
    if (answer === undefined || speaksOfTasks(params)) return false;
    const running: Running = { cancelled: false, listener: undefined, call: undefined };
    this.running.set(id, running);
    const answered = answer({
      id,
      params,
      runs: (call) => {
        running.call = call;
      },
      onCancel: (listener) => {
        running.listener = listener;
      },
      notify: (progress) => this.notify(id, running, progress),
    });
    answered.then(
      (result) => this.reply(id, running, { result }),
      (thrown: unknown) => this.reply(id, running, { error: errorOf(thrown) }),
    );
    return true;
  }

  /** The request that runs under this call id, unless the client has given it up. */
  find(callId: string): RequestId | undefined {
    for (const [id, { call, cancelled }] of this.running)
      if (!cancelled && call?.callId === callId) return id;
    return undefined;
  }

  cancel(id: RequestId): void {
    const running = this.running.get(id);
    if (running === undefined || running.cancelled) return;
    running.cancelled = true;
    running.listener?.();
    this.parts.over(id);
  }

  cancelAll(): void {
    for (const id of this.running.keys()) this.cancel(id);
  }

  private notify(id: RequestId, running: Running, params: Record<string, unknown>): void {
    if (running.cancelled) return;
    void this.parts.send(
      { jsonrpc: '2.0', method: 'notifications/progress', params },
      { relatedRequestId: id },
    );
  }

  private reply(id: RequestId, running: Running, reply: Reply): void {
    if (this.running.get(id) === running) this.running.delete(id);
    if (running.cancelled) return;
    this.parts.over(id);
    // The transport writes a JsonText as it is; the SDK's type of a result does not know of one.
    void this.parts.send({ jsonrpc: '2.0', id, ...reply } as unknown as Parameters<Transport['send']>[0]);
  }
}

type Reply = { readonly result: JsonText } | { readonly error: ReturnType<typeof errorOf> };

function speaksOfTasks(params: unknown): boolean {
  if (typeof params !== 'object' || params === null) return false;
  if ('task' in params) return true;
  const meta: unknown = '_meta' in params ? params._meta : undefined;
  return typeof meta === 'object' && meta !== null && relatedTask in meta;
}

export function errorOf(thrown: unknown): { code: number; message: string; data?: unknown } {
  if (!(thrown instanceof RpcError))
    return {
      code: rpcCodes.internalError,
      message: thrown instanceof Error ? thrown.message : 'Internal error',
    };
  const { code, message, data } = thrown;
  return data === undefined ? { code, message } : { code, message, data };
}
