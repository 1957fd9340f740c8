import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { RequestId } from '@modelcontextprotocol/sdk/types.js';
import type { JsonText } from '@uar/json-text';
import { RpcError } from './call-result.js';
import type { ClientFrame } from '../frame.js';

type ClientRequest = Extract<ClientFrame, { kind: 'request' }>;

/** What a running `tools/call` lends to whoever answers it. */
export interface ToolRequest {
  readonly id: RequestId;
  readonly params: unknown;
  /** One listener: told once, when the client cancels the request or the session ends. */
  onCancel(listener: () => void): void;
  /** Sends the `params` of a progress notification on the stream of the request. */
  notify(params: Record<string, unknown>): void;
}

interface Running {
  cancelled: boolean;
  listener: (() => void) | undefined;
}

const internalError = -32603;
const relatedTask = 'io.modelcontextprotocol/related-task';

/**
 * The `tools/call` requests of one session, answered as the SDK's protocol layer answers requests (nothing for a cancelled
 * one), but without its three parses, its controller and its closures for each: `readFrame` has checked the frame.
 */
export class ToolRequests {
  private readonly running = new Map<RequestId, Running>();

  constructor(
    private readonly answer: (request: ToolRequest) => Promise<JsonText>,
    private readonly send: Transport['send'],
  ) {}

  /** False: not one of these, or one that speaks of tasks, which the SDK knows how to refuse. */
  take({ id, method, message }: ClientRequest): boolean {
    const { params } = message;
    if (method !== 'tools/call' || speaksOfTasks(params)) return false;
    const running: Running = { cancelled: false, listener: undefined };
    this.running.set(id, running);
    const answered = this.answer({
      id,
      params,
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

  cancel(id: RequestId): void {
    const running = this.running.get(id);
    if (running === undefined || running.cancelled) return;
    running.cancelled = true;
    running.listener?.();
  }

  cancelAll(): void {
    for (const id of this.running.keys()) this.cancel(id);
  }

  private notify(id: RequestId, running: Running, params: Record<string, unknown>): void {
    if (running.cancelled) return;
    void this.send({ jsonrpc: '2.0', method: 'notifications/progress', params }, { relatedRequestId: id });
  }

  private reply(id: RequestId, running: Running, reply: Reply): void {
    if (this.running.get(id) === running) this.running.delete(id);
    if (running.cancelled) return;
    // The transport writes a JsonText as it is; the SDK's type of a result does not know of one.
    void this.send({ jsonrpc: '2.0', id, ...reply } as unknown as Parameters<Transport['send']>[0]);
  }
}

type Reply = { readonly result: JsonText } | { readonly error: ReturnType<typeof errorOf> };

function speaksOfTasks(params: unknown): boolean {
  if (typeof params !== 'object' || params === null) return false;
  if ('task' in params) return true;
  const meta: unknown = '_meta' in params ? params._meta : undefined;
  return typeof meta === 'object' && meta !== null && relatedTask in meta;
}

function errorOf(thrown: unknown): { code: number; message: string; data?: unknown } {
  if (!(thrown instanceof RpcError))
    return { code: internalError, message: thrown instanceof Error ? thrown.message : 'Internal error' };
  const { code, message, data } = thrown;
  return data === undefined ? { code, message } : { code, message, data };
}
