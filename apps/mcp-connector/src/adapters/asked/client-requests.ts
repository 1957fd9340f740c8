import type { JSONRPCMessage, JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';
import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import { JsonText, compact, scanJson } from '@uar/json-text';
import type {
  ClientAnswer,
  ClientCapabilities,
  ClientRequest,
  ClientSide,
} from '../../domain/client-side.js';
import { RawMember } from '../frames/frame.js';
import { paramsText } from '../frames/origin.js';
import type { RunningCalls } from './running-calls.js';

export interface ClientRequestsOptions {
  readonly client: ClientSide;
  readonly calls: RunningCalls;
  readonly send: (message: JSONRPCMessage) => Promise<void>;
  /** Nobody waits for the answer to that request any more: none is sent. */
  readonly onGone: (id: string | number) => void;
}

const needed: Readonly<Record<ClientRequest['method'], keyof ClientCapabilities>> = {
  'sampling/createMessage': 'sampling',
  'elicitation/create': 'elicitation',
  'roots/list': 'roots',
};

/** What a client declares that is asked for this. */
export function neededCapability(method: ClientRequest['method']): keyof ClientCapabilities {
  return needed[method];
}

/** Bytes of all `params` of one connection with which clients are being asked, at most. */
const mostParams = 8 * 1024 * 1024;

/** Answers requests of an upstream with the words of a client, unread. */
export class ClientRequests {
  private readonly waiting = new Map<string | number, AbortController>();
  private bytes = 0;

  constructor(private readonly options: ClientRequestsOptions) {}

  /** False: no client is asked that, and nothing was begun. */
  take(request: JSONRPCRequest): boolean {
    const { method } = request;
    const { client, calls } = this.options;
    if (!isAskable(method)) return false;
    const isDeclared = client.capabilities[needed[method]] !== undefined;
    if (!isDeclared) calls.lacks(request, needed[method]);
    if (!isDeclared || client.answer === undefined) return false;
    void this.ask(request, method, client.answer);
    return true;
  }

  /** The upstream takes its request back. */
  cancel(id: unknown): void {
    if (typeof id !== 'string' && typeof id !== 'number') return;
    this.waiting.get(id)?.abort();
  }

  /** The session is over. */
  end(): void {
    for (const waiting of this.waiting.values()) waiting.abort();
  }

  private async ask(
    request: JSONRPCRequest,
    method: ClientRequest['method'],
    answer: NonNullable<ClientSide['answer']>,
  ): Promise<void> {
    const { id } = request;
    const waiting = new AbortController();
    this.waiting.set(id, waiting);
    const paramsJson = paramsText(request);
    const bytes = Buffer.byteLength(paramsJson);
    const callId = this.options.calls.during(request);
    const question = { method, paramsJson, ...(callId === undefined ? {} : { callId }) };
    this.bytes += bytes;
    const goOn = this.options.calls.pause(callId);
    const said: ClientAnswer =
      this.bytes > mostParams
        ? internalError('the request is too large now')
        : await answer(question, waiting.signal);
    goOn();
    this.bytes -= bytes;
    this.waiting.delete(id);
    if (waiting.signal.aborted) return this.options.onGone(id);
    // An answer that cannot be sent has nobody to read it.
    await this.options.send(messageOf(id, said)).catch(() => undefined);
  }
}

function isAskable(method: string): method is ClientRequest['method'] {
  return Object.hasOwn(needed, method);
}

function internalError(message: string): Extract<ClientAnswer, { kind: 'failed' }> {
  return { kind: 'failed', code: ErrorCode.InternalError, message };
}

function messageOf(id: string | number, said: ClientAnswer): JSONRPCMessage {
  switch (said.kind) {
    case 'answered': {
      const scan = scanJson(said.result_json, { duplicates: 'last_wins' });
      if (scan.kind === 'bad' || scan.rootKind !== 'object')
        return errorMessage(id, internalError('the client answered what is no result'));
      return { jsonrpc: '2.0', id, result: new RawMember(compact(said.result_json)) };
    }
    case 'failed':
      return errorMessage(id, said);
    case 'gone':
      return errorMessage(id, internalError('the client is not there'));
  }
}

function errorMessage(
  id: string | number,
  { code, message, data_json }: Extract<ClientAnswer, { kind: 'failed' }>,
): JSONRPCMessage {
  const isData = data_json !== undefined && scanJson(data_json, { duplicates: 'last_wins' }).kind === 'ok';
  const data = isData ? { data: new JsonText(compact(data_json)) } : {};
  return { jsonrpc: '2.0', id, error: { code, message, ...data } };
}
