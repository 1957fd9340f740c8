import { request as httpRequest, Agent, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest, Agent as TlsAgent } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { CallId } from '@uar/contracts';
import { Broken, NotSent } from '../not-sent.js';

export interface HttpTarget {
  readonly url: URL;
  readonly agent: Agent;
  readonly lookup: LookupFunction;
}

export interface HttpExchange {
  readonly method: 'POST' | 'GET' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
  /** The call that it is part of. */
  readonly callId?: CallId | undefined;
}

/** With an agent of its own. */
export function httpTarget(url: URL, lookup: LookupFunction): HttpTarget {
  const agent = url.protocol === 'https:' ? TlsAgent : Agent;
  return { url, lookup, agent: new agent({ keepAlive: true }) };
}

/** Where one kept connection broke, the others may be as dead: the next request gets a new one. */
export function dropIdleSockets({ agent }: HttpTarget): void {
  for (const sockets of Object.values(agent.freeSockets))
    for (const socket of sockets ?? []) socket.destroy();
}

/** Sends one request and gives the head of its response. Follows no redirect. Rejects with `NotSent` or `Broken`. */
export async function send(target: HttpTarget, exchange: HttpExchange): Promise<IncomingMessage> {
  const { url } = target;
  const options: RequestOptions = {
    method: exchange.method,
    agent: target.agent,
    lookup: target.lookup,
    headers: {
      ...exchange.headers,
      ...(exchange.body === undefined ? {} : { 'content-length': String(Buffer.byteLength(exchange.body)) }),
    },
    signal: exchange.signal,
  };
  return await new Promise((resolve, reject) => {
    let connected = false;
    const isTls = url.protocol === 'https:';
    try {
      const request = (isTls ? httpsRequest : httpRequest)(url, options, resolve);
      request.once('socket', (socket) => {
        if (!socket.connecting) connected = true;
        else socket.once(isTls ? 'secureConnect' : 'connect', () => (connected = true));
      });
      request.on('error', (error) =>
        reject(connected ? new Broken(codeOf(error)) : new NotSent(codeOf(error))),
      );
      request.end(exchange.body);
    } catch (error) {
      reject(new NotSent(codeOf(error)));
    }
  });
}

/** The code alone: Node's messages name addresses, and those of headers repeat their values. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'the connection failed';
  if ('code' in error && error.code === 'UAR_ADDRESS_REFUSED') return error.message;
  const code = 'code' in error ? String(error.code) : error.name;
  return `the connection failed (${code})`;
}
