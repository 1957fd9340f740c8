import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { CallId } from '@uar/contracts';
import type { ClientCapabilities } from '../../domain/client-side.js';
import { streamOf } from '../frames/origin.js';
import type { TimeLimit } from './time-limit.js';

/** Which calls run over one connection, by the JSON-RPC ids of their requests. */
export class RunningCalls {
  private readonly calls = new Map<number, CallId>();
  private readonly limits = new Map<CallId, TimeLimit>();
  private readonly lacking = new Map<CallId, Set<keyof ClientCapabilities>>();

  begin(requestId: number, callId: CallId): void {
    this.calls.set(requestId, callId);
  }

  end(callId: CallId): void {
    this.lacking.delete(callId);
    this.limits.delete(callId);
    for (const [requestId, running] of this.calls) if (running === callId) this.calls.delete(requestId);
  }

  /** Before it begins. */
  limit(callId: CallId, limit: TimeLimit): void {
    this.limits.set(callId, limit);
  }

  /** Its client is asked, until the returned function is called. */
  pause(callId: CallId | undefined): () => void {
    const limit = callId === undefined ? undefined : this.limits.get(callId);
    return limit?.pause() ?? (() => undefined);
  }

  /** The upstream asked, in vain, for what its client did not declare. */
  lacks(message: JSONRPCMessage, capability: keyof ClientCapabilities): void {
    const callId = this.during(message);
    if (callId === undefined) return;
    this.lacking.set(callId, (this.lacking.get(callId) ?? new Set()).add(capability));
  }

  lackingOf(callId: CallId): readonly string[] {
    return [...(this.lacking.get(callId) ?? [])];
  }

  /** The call during which the upstream sent it: the one on whose stream it came; over pipes the latest is taken for it. */
  during(message: JSONRPCMessage): CallId | undefined {
    const stream = streamOf(message);
    if (stream === undefined) return [...this.calls.values()].at(-1);
    return stream === 'standing' ? undefined : this.calls.get(stream);
  }
}
