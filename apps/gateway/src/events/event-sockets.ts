import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Caller } from '@uar/contracts';
import { WebSocketServer, type WebSocket } from 'ws';
import type { Upgrade } from '../adapters/http/upgrades.js';
import type { Identity } from '../domain/access/identity.js';
import type { EventStreams, StreamAnswer } from '../domain/event/streams.js';
import { doorRefusal } from '../http/edge/door.js';
import type { Edge } from '../http/edge/edge.js';
import { Refusal, badRequest, unauthorized } from '../http/refusal.js';
import { scopeRefusal } from '../http/scope-refusal.js';
import { eventAsk, streamRefusal, type EventAsk } from './event-ask.js';
import { eventRoutes } from './event-routes.js';
import { SocketOutlet } from './socket-outlet.js';
import { textsOf } from './texts.js';

const path = '/api/uar/events';
const pingMs = 15_000;
/** So many pings without an answer, and nobody is there any more. */
const mostUnanswered = 4;
/** A refused client may take so long to take the refusal. */
const refusalMs = 2_000;
/** Clients have nothing to say. */
const mostReadBytes = 1_024;

/** `/api/uar/events` as a WebSocket: refused as HTTP, with the same guards and rights as the same route without. */
export class EventSockets {
  private readonly server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: mostReadBytes,
    perMessageDeflate: false,
  });
  /** Connections that are no WebSockets yet, or never will be: nobody but us knows of them. */
  private readonly judged = new Set<Duplex>();
  private readonly sockets = new Map<WebSocket, { unanswered: number }>();
  private pinging: NodeJS.Timeout | undefined;

  constructor(
    private readonly parts: {
      readonly edge: Edge;
      readonly identity: Identity;
      readonly streams: EventStreams;
      /** Logs once and names the line. */
      fault(error: unknown): string;
    },
  ) {}

  takes({ url }: IncomingMessage): boolean {
    return (url ?? '').split('?')[0] === path;
  }

  take(upgrade: Upgrade): void {
    // Without a listener a connection that breaks now would break the process.
    upgrade.socket.on('error', () => upgrade.socket.destroy());
    this.judged.add(upgrade.socket);
    upgrade.socket.once('close', () => this.judged.delete(upgrade.socket));
    this.admit(upgrade).catch((error: unknown) => refuse(upgrade.socket, this.refusalOf(error)));
  }

  close(): void {
    clearInterval(this.pinging);
    for (const socket of this.judged) socket.destroy();
    for (const socket of this.sockets.keys()) socket.terminate();
  }

  private async admit(upgrade: Upgrade): Promise<void> {
    const { edge, streams } = this.parts;
    const { request } = upgrade;
    const closed = doorRefusal(edge, request);
    if (closed !== undefined) throw closed;
    const caller = await this.callerOf(request);
    const { profile, ...from } = askOf(request);
    const answer = await streams.open({ caller, ...from });
    if (answer.kind === 'complete') throw badRequest('the stream is over');
    if (answer.kind !== 'admitted') throw streamRefusal(answer);
    this.upgrade(upgrade, answer, profile);
  }

  private async callerOf(request: IncomingMessage): Promise<Caller> {
    const { edge, identity } = this.parts;
    const { url = '', headers } = request;
    const identified = await identity.identify({ authorization: headers.authorization });
    if (identified.kind !== 'verified') {
      edge.onUnauthorized(identified.kind === 'invalid' ? identified.cause : 'missing');
      throw unauthorized(identified.kind === 'invalid', edge.metadataUrlOf(url));
    }
    const { principal } = identified;
    const refusal = scopeRefusal(this.parts, { principal, url, needed: [eventRoutes.events.scope] });
    if (refusal !== undefined) throw refusal;
    return identity.caller(principal, 'http', edge.clientIp.of({ raw: request, headers }));
  }

  private upgrade(
    { request, socket, head }: Upgrade,
    answer: StreamAnswer & { readonly kind: 'admitted' },
    profile: EventAsk['profile'],
  ): void {
    socket.once('close', answer.leave);
    if (socket.destroyed) return answer.leave();
    this.server.handleUpgrade(request, socket, head, (upgraded) => {
      this.judged.delete(socket);
      this.keep(upgraded);
      answer.begin(new SocketOutlet(upgraded, textsOf(profile, 'id')));
    });
  }

  private keep(socket: WebSocket): void {
    const state = { unanswered: 0 };
    this.sockets.set(socket, state);
    this.pinging ??= setInterval(() => this.ping(), pingMs).unref();
    socket.on('pong', () => (state.unanswered = 0));
    socket.on('message', () => socket.close(1008, 'nothing is read here'));
    socket.on('error', () => socket.terminate());
    socket.on('close', () => this.sockets.delete(socket));
  }

  private ping(): void {
    for (const [socket, state] of this.sockets) {
      state.unanswered += 1;
      if (state.unanswered > mostUnanswered) socket.terminate();
      else socket.ping();
    }
  }

  private refusalOf(thrown: unknown): Refusal {
    if (thrown instanceof Refusal) return thrown;
    const details = { fault_id: this.parts.fault(thrown) };
    return new Refusal(500, 'internal_fault', { message: 'Something in the tool plane broke.', details });
  }
}

function askOf({ url = '', headers }: IncomingMessage): EventAsk {
  const query = new URLSearchParams(url.slice(path.length));
  return eventAsk(headers, Object.fromEntries(query));
}

/** Ends the connection from both ends: no timeout of HTTP holds for one that asked for an upgrade. */
function refuse(socket: Duplex, { status, code, message, details, headers }: Refusal): void {
  const body = JSON.stringify({ error: { code, message, ...(details === undefined ? {} : { details }) } });
  const all = {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  const late = setTimeout(() => socket.destroy(), refusalMs).unref();
  socket.once('close', () => clearTimeout(late));
  socket.once('finish', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
}
