import type { ServerResponse } from 'node:http';
import type { JsonText } from '@uar/json-text';
import { EventStream } from '../../http/event-stream.js';
import { eventText } from '../../http/event-text.js';
import { errorOf } from '../calls/session-requests.js';
import { type Reply, replyText } from './answers.js';
import type { StatelessRequest } from './envelope.js';

/** What a request lends to whoever answers it. */
interface Lent {
  /** Told when the client closes the stream, or has closed it. */
  onCancel(listener: () => void): void;
  /** Upstreams get no word of their own to a client without a session. */
  runs(): void;
  /** `params` of a progress notification. */
  notify(params: Record<string, unknown>): void;
}

/** The stream of one request: notes about it, then its answer, then the end. */
export class RequestStream {
  private readonly stream: EventStream;
  private isAnswered = false;

  constructor(
    response: ServerResponse,
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
      notify: (params) => {
        if (this.isAnswered) return;
        const note = { jsonrpc: '2.0', method: 'notifications/progress', params };
        this.stream.write(eventText({ data: JSON.stringify(note) }));
      },
    };
  }

  async answer(result: Promise<JsonText>): Promise<void> {
    const reply = await replyOf(result);
    this.isAnswered = true;
    this.stream.finish(eventText({ data: replyText({ id: this.id }, reply) }));
  }
}

export function replyOf(result: Promise<JsonText>): Promise<Reply> {
  return result.then(
    (value) => ({ result: value }),
    (thrown: unknown) => ({ error: errorOf(thrown) }),
  );
}
