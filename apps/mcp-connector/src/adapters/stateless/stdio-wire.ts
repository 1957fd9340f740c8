import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { Broken } from '../not-sent.js';
import { withOwnSignal } from '../own-signal.js';
import type { StdioTransport } from '../stdio-transport.js';
import { RawMember } from '../frames/frame.js';
import { firstIds } from '../frames/request-ids.js';
import { subscriptionKey } from './revision.js';
import { replyOf, type Notification, type Reply, type Wire, type WireRequest } from './wire.js';

const over = 'the connection ended during the call';

interface Waiting {
  readonly request: WireRequest;
  settle(reply: Reply): void;
  fail(error: Error): void;
}

/** MCP 2026-07-28 over the pipes of a child, until they are handed over to a session. */
export class StdioWire implements Wire {
  readonly ended: Promise<void>;
  private readonly waiting = new Map<number, Waiting>();
  private lastId: number = firstIds.ofWire;
  private handover: Handover | undefined;

  constructor(private readonly transport: StdioTransport) {
    transport.form = 'strict';
    transport.onmessage = (message) => this.receive(message);
    this.ended = new Promise((resolve) => {
      transport.onclose = () => {
        for (const one of this.waiting.values()) one.fail(new Broken(over));
        this.handover?.onclose?.();
        resolve();
      };
    });
    void transport.start();
  }

  async request(request: WireRequest): Promise<Reply> {
    const id = (this.lastId += 1);
    return await withOwnSignal(request.signal, async ({ signal }) => {
      const reply = new Promise<Reply>((settle, fail) => {
        this.waiting.set(id, { request, settle, fail });
        signal.addEventListener('abort', () => fail(new Broken('cancelled')), { once: true });
      });
      // Whatever it is, it is thrown where it is awaited.
      reply.catch(() => undefined);
      try {
        const { method, paramsText } = request;
        await this.transport.send({ jsonrpc: '2.0', id, method, params: new RawMember(paramsText) });
        if (signal.aborted) this.cancel(id);
        signal.addEventListener('abort', () => this.cancel(id), { once: true });
        return await reply;
      } finally {
        this.waiting.delete(id);
      }
    });
  }

  /** The same pipes for revisions with sessions. Requests that were sent before are still answered. */
  handOver(): Handover {
    this.handover = new Handover(this.transport, () => {
      this.transport.form = 'strict';
      this.handover = undefined;
    });
    return this.handover;
  }

  async close(): Promise<void> {
    await this.transport.close();
  }

  private cancel(requestId: number): void {
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } } as const;
    void this.transport.send(cancelled).catch(() => undefined);
  }

  private receive(message: JSONRPCMessage): void {
    const id = 'id' in message && !('method' in message) ? Number(message.id) : undefined;
    const own = id === undefined ? undefined : this.waiting.get(id);
    if (own !== undefined) own.settle(textReply(message));
    else if (id !== undefined && id > firstIds.ofWire) return;
    else if (this.handover !== undefined) this.handover.onmessage?.(message);
    else if ('method' in message && !('id' in message)) this.notify(message);
  }

  /** To the request that it names, or else to the latest: nothing says which one it is about. */
  private notify(notification: Notification): void {
    const { method, params } = notification;
    const named = Number(params?._meta?.[subscriptionKey] ?? params?.['requestId']);
    const one = Number.isNaN(named) ? undefined : this.waiting.get(named);
    if (one !== undefined) return one.request.onNotification(notification);
    if (method === 'notifications/progress')
      for (const { request } of this.waiting.values()) request.onNotification(notification);
    else if (Number.isNaN(named)) [...this.waiting.values()].at(-1)?.request.onNotification(notification);
  }
}

/** What a session's client finds in the place of its transport. */
export class Handover implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  private isOwner = false;

  constructor(
    private readonly transport: StdioTransport,
    private readonly giveBack: () => void,
  ) {
    transport.form = 'parsed';
  }

  /** From now on its end is that of the pipes. */
  own(): void {
    this.isOwner = true;
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  setProtocolVersion(): void {
    this.transport.setProtocolVersion();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await this.transport.send(message);
  }

  async close(): Promise<void> {
    if (this.isOwner) return await this.transport.close();
    this.giveBack();
    this.onclose?.();
  }
}

/** Where a session's client waits for its greeting, messages come parsed. */
function textReply(message: JSONRPCMessage): Reply {
  const reply = replyOf(message);
  return 'result' in message && reply.kind !== 'result'
    ? { kind: 'result', text: JSON.stringify(message.result) }
    : reply;
}
