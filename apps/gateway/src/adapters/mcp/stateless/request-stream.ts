import type { ServerResponse } from 'node:http';
import { type JsonText, stringifyWithText } from '@uar/json-text';
import { EventStream } from '../../http/event-stream.js';
import { eventText } from '../../http/event-text.js';
import { RpcError, UpstreamRpcError } from '../calls/call-result.js';
import { errorOf } from '../calls/session-requests.js';
import { refuse } from '../http/refuse.js';
import { rpcCodes } from '../rpc-codes.js';
import { type Reply, replyText } from './answers.js';
import type { StatelessRequest } from './envelope.js';

/** What a request lends to whoever answers it. */
interface Lent {
  /** Told when the client closes the stream, or has closed it. */
  onCancel(listener: () => void): void;
  /** What upstreams ask during a call finds it by its id. */
  runs(): void;
  /** `params` of a progress notification. */
  notify(params: Record<string, unknown>): void;
  /** Any other notification. */
  tell(method: string, params: JsonText): void;
}

/** A request, with what it lends. */
export type Asked = StatelessRequest & Lent;

/** The stream of one request: notes about it, then its answer, then the end. */
export class RequestStream {
  private readonly stream: EventStream;
  private isAnswered = false;

  constructor(
    private readonly response: ServerResponse,
    private readonly id: StatelessRequest['id'],
  ) {
    this.stream = new EventStream(response, {});
  }

  lent(): Lent {
    return {
      onCancel: (listener) =>
        this.stream.onClose(() => {
          if (!this.isAnswered) listener();
        }),
      runs: () => undefined,
      notify: (params) => this.tell('notifications/progress', params),
      tell: (method, params) => this.tell(method, params),
    };
  }

  async answer(result: Promise<JsonText>): Promise<void> {
    const reply = await replyOf(
      result.catch((thrown: unknown) => Promise.reject(sayingWhatIsLacking(thrown))),
    );
    this.isAnswered = true;
    if ('error' in reply && reply.error.code === rpcCodes.missingCapability && !this.response.headersSent) {
      this.stream.discard();
      return refuse(this.response, { status: 400, why: reply.error, id: this.id });
    }
    this.stream.finish(eventText({ data: replyText({ id: this.id }, reply) }));
  }

  private tell(method: string, params: unknown): void {
    if (this.isAnswered) return;
    this.stream.write(eventText({ data: stringifyWithText({ jsonrpc: '2.0', method, params }) }));
  }
}

/** An upstream failed that had asked for what the client did not declare (MCP 2026-07-28, "Client capabilities"). */
function sayingWhatIsLacking(thrown: unknown): unknown {
  if (!(thrown instanceof UpstreamRpcError) || thrown.lacking.length === 0) return thrown;
  const requiredCapabilities = Object.fromEntries(thrown.lacking.map((name) => [name, {}]));
  const message = `this needs a client that declares: ${thrown.lacking.join(', ')}`;
  const data = typeof thrown.data === 'object' ? thrown.data : {};
  return new RpcError(rpcCodes.missingCapability, message, { requiredCapabilities, ...data });
}

export function replyOf(result: Promise<JsonText>): Promise<Reply> {
  return result.then(
    (value) => ({ result: value }),
    (thrown: unknown) => ({ error: errorOf(thrown) }),
  );
}
