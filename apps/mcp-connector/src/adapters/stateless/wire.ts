import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { CallId } from '@uar/contracts';
import { RawResult, RequestProblem } from '../frames/frame.js';
import type { DescribedRequest } from './request-headers.js';

export type Notification = Extract<JSONRPCMessage, { method: string }>;

export interface WireRequest extends DescribedRequest {
  /** The call that it is part of. */
  readonly callId?: CallId | undefined;
  /** Abort: the upstream is told that nobody waits any more. */
  readonly signal: AbortSignal;
  /** What the upstream says to it before the answer. */
  readonly onNotification: (notification: Notification) => void;
}

export type Reply =
  | { readonly kind: 'result'; readonly text: string }
  | RequestProblem['problem']
  /** Refused by whatever stands there, in words that are none of JSON-RPC. */
  | { readonly kind: 'no_answer'; readonly status: number };

/** Carries requests of MCP 2026-07-28, each for itself. */
export interface Wire {
  /** Settles when nothing can be sent any more. */
  readonly ended: Promise<void>;
  /** Sends once. Rejects with `NotSent`, `AuthRequired` or `Broken`; and with whatever once the signal aborted. */
  request(request: WireRequest): Promise<Reply>;
  close(): Promise<void>;
}

/** Of an answer that nobody can use. */
export function invalid(message: string): Extract<Reply, { kind: 'upstream_error' }> {
  return { kind: 'upstream_error', code: -32_603, message };
}

export const noAnswer = { kind: 'transport_failure', message: 'the response holds no answer' } as const;

/** What a response says. */
export function replyOf(message: JSONRPCMessage): Reply {
  if ('result' in message && message.result instanceof RawResult)
    return { kind: 'result', text: message.result.text };
  if ('error' in message && message.error.data instanceof RequestProblem) return message.error.data.problem;
  return noAnswer;
}
