import type { RequestId } from '@modelcontextprotocol/sdk/types.js';
import { JsonText } from '@uar/json-text';
import {
  answeredWith,
  gone,
  mostOpenAsks,
  tooManyAsks,
  tooLong,
} from '../../../domain/client/client-answer.js';
import type { ClientAnswer, ClientAsk } from '../../../domain/client/connected-clients.js';
import type { SessionSeat } from './session-seat.js';
import type { ClientReply, ClientRequests } from './client-requests.js';

export interface ClientAskParts {
  readonly requests: ClientRequests;
  readonly seat: Pick<SessionSeat, 'takes'>;
  /** The client's own request that runs under this call id. */
  relatedOf(callId: string): RequestId | undefined;
  /** Has the client a stream for what belongs to no request? */
  hasStanding(): boolean;
}

interface OpenAsk {
  readonly related: RequestId | undefined;
  end(reason: string): void;
}

/** What upstreams ask the client of one session for: passed on as it is, and answered as the client answers it. */
export class ClientAsks {
  private readonly open = new Set<OpenAsk>();

  constructor(private readonly parts: ClientAskParts) {}

  /** `gone` too where the call is over during which it was asked: no client is asked for what nobody waits for. */
  ask(ask: ClientAsk, signal: AbortSignal): Promise<ClientAnswer> {
    const related = ask.call_id === undefined ? undefined : this.parts.relatedOf(ask.call_id);
    const isHeard = ask.call_id === undefined ? this.parts.hasStanding() : related !== undefined;
    if (!isHeard || !this.parts.seat.takes(ask) || signal.aborted) return Promise.resolve(gone);
    if (this.open.size >= mostOpenAsks) return Promise.resolve(tooManyAsks);
    return this.passOn(ask, related, signal);
  }

  /** The client's own request has its answer, or the client wants none any more. */
  over(related: RequestId): void {
    for (const ask of this.open)
      if (ask.related === related) ask.end('the request that it belongs to is over');
  }

  close(): void {
    for (const ask of this.open) ask.end('the session ends');
  }

  private async passOn(
    { method, params_json }: ClientAsk,
    related: RequestId | undefined,
    signal: AbortSignal,
  ): Promise<ClientAnswer> {
    let stop = (): void => undefined;
    const answer = new Promise<ClientAnswer>((resolve) => {
      const request = this.parts.requests.ask({
        method,
        params: new JsonText(params_json),
        related,
        onReply: (reply) => resolve(answerOf(reply)),
      });
      const end = (reason: string): void => {
        request.cancel(reason);
        resolve(gone);
      };
      const ask = { related, end };
      const expire = (): void => end('nobody waits for it any more');
      this.open.add(ask);
      signal.addEventListener('abort', expire, { once: true });
      stop = () => {
        this.open.delete(ask);
        signal.removeEventListener('abort', expire);
      };
    });
    return answer.finally(stop);
  }
}

function answerOf(reply: ClientReply): ClientAnswer {
  if (reply.kind === 'result') return answeredWith(reply.text);
  const { code, message, dataText } = reply;
  const failed = { kind: 'failed', code, message } as const;
  return dataText === undefined ? failed : (tooLong(dataText) ?? { ...failed, data_json: dataText });
}
