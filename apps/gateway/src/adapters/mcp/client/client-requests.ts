import { randomUUID } from 'node:crypto';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { RequestId } from '@modelcontextprotocol/sdk/types.js';
import { memberText } from '@uar/json-text';
import type { ClientFrame } from '../frame.js';

export interface ClientRequestParts {
  readonly send: Transport['send'];
  /** Is a stream of this request still there to speak on? */
  hasStream(request: RequestId): boolean;
}

export interface ClientRequest {
  readonly method: string;
  /** Written as it is; may hold a `JsonText`. Absent: a request without `params`. */
  readonly params?: unknown;
  /** The client's own request that it belongs to. */
  readonly related?: RequestId | undefined;
  readonly onReply?: (reply: ClientReply) => void;
}

/** A client's answer, its parts as text. */
export type ClientReply =
  | { readonly kind: 'result'; readonly text: string }
  | {
      readonly kind: 'error';
      readonly code: number;
      readonly message: string;
      readonly dataText: string | undefined;
    };

export interface OpenRequest {
  /** Tells the client that nobody waits for its answer; nothing where it has answered. */
  cancel(reason: string): void;
}

const prefix = 'uar_';

/** What one session asks its client for. The ids are ours and unguessable; an answer that comes late is nobody's. */
export class ClientRequests {
  private readonly open = new Map<string, ClientRequest>();

  constructor(private readonly parts: ClientRequestParts) {}

  get size(): number {
    return this.open.size;
  }

  ask(request: ClientRequest): OpenRequest {
    const { method, params, related } = request;
    const id = prefix + randomUUID();
    this.open.set(id, request);
    this.say({ id, method, ...(params !== undefined && { params }) }, related);
    return {
      cancel: (reason) => {
        if (this.open.delete(id)) this.tell('notifications/cancelled', { requestId: id, reason }, related);
      },
    };
  }

  tell(method: string, params: unknown, related?: RequestId): void {
    this.say({ method, params }, related);
  }

  /** False: no answer to one of ours. */
  take({ message, text }: Extract<ClientFrame, { kind: 'response' }>): boolean {
    const { id } = message;
    if (typeof id !== 'string' || !id.startsWith(prefix)) return false;
    const request = this.open.get(id);
    this.open.delete(id);
    request?.onReply?.(replyOf(text));
    return true;
  }

  /** On the session's own stream where the client's request has got its answer. */
  private say(message: object, related: RequestId | undefined): void {
    const onStream = related !== undefined && this.parts.hasStream(related);
    // The transport writes a JsonText as it is; the SDK's type of a message does not know of one.
    const sent = { jsonrpc: '2.0', ...message } as Parameters<Transport['send']>[0];
    void this.parts.send(sent, onStream ? { relatedRequestId: related } : {});
  }
}

/** Of a response that `readFrames` has checked. */
function replyOf(text: string): ClientReply {
  const result = memberText(text, 'result');
  if (result !== undefined) return { kind: 'result', text: result };
  return {
    kind: 'error',
    code: Number(memberText(text, 'error', 'code')),
    message: String(JSON.parse(memberText(text, 'error', 'message') ?? '""')),
    dataText: memberText(text, 'error', 'data'),
  };
}
