import type { Transport, TransportSendOptions } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ErrorCode, McpError, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { RawResult } from './frames/frame.js';
import { firstIds } from './frames/request-ids.js';

type Message = JSONRPCMessage;

interface Waiting {
  resolve(result: RawResult): void;
  reject(error: unknown): void;
}

export interface SentRequest {
  /** Rejects as a request of the SDK's client does. */
  readonly result: Promise<RawResult>;
  /** Tells the other side, once; the answer that comes all the same is nobody's. */
  cancel(reason: unknown): void;
}

/**
 * Requests of calls, sent beside the SDK's client and answered as it answers its own, but without its three parses of each
 * answer, its timer and its signal.
 */
export class OwnRequests {
  private readonly waiting = new Map<number, Waiting>();
  private nextId: number = firstIds.ofCalls;

  constructor(private readonly send: Transport['send']) {}

  request(
    request: { method: string; params: Record<string, unknown> },
    options: TransportSendOptions,
  ): SentRequest {
    const id = this.nextId;
    this.nextId += 1;
    const result = new Promise<RawResult>((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.send({ jsonrpc: '2.0', id, ...request }, options).catch((error: unknown) => {
        if (this.waiting.delete(id)) reject(error);
      });
    });
    return { result, cancel: (reason) => this.cancel(id, reason, options) };
  }

  /** False: no answer to a request that waits here. */
  take(message: Message): boolean {
    if ('method' in message) return false;
    const waiting = this.waiting.get(Number(message.id));
    if (waiting === undefined) return false;
    this.waiting.delete(Number(message.id));
    if ('error' in message) {
      const { code, message: text, data } = message.error;
      waiting.reject(McpError.fromError(code, text, data));
    } else if (message.result instanceof RawResult) waiting.resolve(message.result);
    else waiting.reject(new TypeError('a result that was taken apart'));
    return true;
  }

  /** The connection is gone. */
  end(): void {
    const error = new McpError(ErrorCode.ConnectionClosed, 'Connection closed');
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
  }

  private cancel(id: number, reason: unknown, options: TransportSendOptions): void {
    const waiting = this.waiting.get(id);
    if (waiting === undefined) return;
    this.waiting.delete(id);
    const params = { requestId: id, reason: String(reason) };
    // Where it cannot be sent nobody is left to be told.
    this.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params }, options).catch(() => undefined);
    waiting.reject(new McpError(ErrorCode.RequestTimeout, String(reason)));
  }
}
