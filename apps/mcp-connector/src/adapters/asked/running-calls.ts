import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { CallId } from '@uar/contracts';
import { streamOf } from '../frames/origin.js';

/** Which calls run over one connection, by the JSON-RPC ids of their requests. */
export class RunningCalls {
  private readonly calls = new Map<number, CallId>();

  begin(requestId: number, callId: CallId): void {
    this.calls.set(requestId, callId);
  }

  end(callId: CallId): void {
    for (const [requestId, running] of this.calls) if (running === callId) this.calls.delete(requestId);
  }

  /** The call during which the upstream sent it: the one on whose stream it came; over pipes the latest is taken for it. */
  during(message: JSONRPCMessage): CallId | undefined {
    const stream = streamOf(message);
    if (stream === undefined) return [...this.calls.values()].at(-1);
    return stream === 'standing' ? undefined : this.calls.get(stream);
  }
}
