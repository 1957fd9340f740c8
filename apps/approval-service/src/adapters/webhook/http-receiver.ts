import {
  Agent as HttpAgent,
  request as httpRequest,
  type ClientRequest,
  type IncomingMessage,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Reception } from '../../domain/webhook/attempt-end.js';
import type { Receiver } from '../../domain/webhook/courier.js';
import { signedHeaders, uarBody, type MessageFacts } from '../../domain/webhook/message.js';
import { slackBody } from '../../domain/webhook/slack-body.js';

export interface HttpReceiverOptions {
  readonly url: string;
  readonly secret: string;
  readonly format: 'uar' | 'slack';
  readonly now: () => number;
  /** Of one attempt, in milliseconds, the answer's body included. */
  readonly deadlineMs: number;
}

const mostBodyBytes = 16 * 1024;

/** The configured URL. A redirect is an answer like any other: it is not followed, and delivers nothing. */
export class HttpReceiver implements Receiver {
  private readonly url: URL;
  private readonly agent: HttpAgent;

  constructor(private readonly options: HttpReceiverOptions) {
    this.url = new URL(options.url);
    this.agent = this.isSecure ? new HttpsAgent({ keepAlive: false }) : new HttpAgent({ keepAlive: false });
  }

  send(message: MessageFacts, signal: AbortSignal): Promise<Reception> {
    const body = this.options.format === 'slack' ? slackBody(message) : uarBody(message);
    const { deliveryId } = message;
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'user-agent': 'uar-webhook',
      ...signedHeaders({ deliveryId, body }, this.options.secret, this.options.now()),
    };
    const deadline = AbortSignal.timeout(this.options.deadlineMs);
    const options = {
      method: 'POST',
      agent: this.agent,
      headers,
      signal: AbortSignal.any([signal, deadline]),
    };
    return new Promise((resolve) => {
      const make = this.isSecure ? httpsRequest : httpRequest;
      let isAnswered = false;
      const request = make(this.url, options, (response) => {
        isAnswered = true;
        answered(request, response, resolve);
      });
      // Nobody else takes the connection then, and neither an answer nor an error follows.
      request.once('upgrade', (_response, socket) => {
        socket.destroy();
        resolve({ kind: 'failed', problem: 'no answer (another protocol)' });
      });
      request.on('error', (error) => {
        if (!isAnswered) resolve(failed(error, deadline.aborted));
      });
      request.once('close', () => {
        if (!isAnswered) resolve({ kind: 'failed', problem: 'no answer (closed)' });
      });
      request.end(body);
    });
  }

  private get isSecure(): boolean {
    return this.url.protocol === 'https:';
  }
}

/** The status is the answer. The body is read to its end, to a bound or to the deadline, and dropped. */
function answered(
  request: ClientRequest,
  response: IncomingMessage,
  resolve: (reception: Reception) => void,
): void {
  const status = response.statusCode ?? 0;
  const retryAfter = response.headers['retry-after'];
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > mostBodyBytes) request.destroy();
  });
  response.on('error', () => undefined);
  response.once('close', () =>
    resolve({ kind: 'answered', status, ...(retryAfter === undefined ? {} : { retryAfter }) }),
  );
}

/** The system's word for it; never the URL, whose path may be a credential. */
function failed(error: NodeJS.ErrnoException, isLate: boolean): Reception {
  if (isLate) return { kind: 'failed', problem: 'no answer in time' };
  return { kind: 'failed', problem: `no answer (${error.code ?? error.name})` };
}
