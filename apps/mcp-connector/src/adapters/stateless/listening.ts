import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { withOwnSignal } from '../own-signal.js';
import { requestMeta, rpcCodes, type Sender } from './revision.js';
import type { Notification, Reply, Wire } from './wire.js';

/** Lists whose changes the upstream tells, by the names of the wish. */
export type ListWish = Partial<
  Readonly<Record<'toolsListChanged' | 'promptsListChanged' | 'resourcesListChanged', true>>
>;

export interface ListeningOptions {
  readonly wire: Wire;
  readonly sender: () => Sender;
  readonly lists: ListWish;
  readonly onNotification: (notification: Notification) => void;
  /** There was no stream for a while: what changed then was told to nobody. */
  readonly onGap: () => void;
  /** Where there was a stream, there is nobody any more, or somebody else. `error`: what the wire said. */
  readonly onGone: (error: unknown) => void;
  /** Of the connection. */
  readonly signal: AbortSignal;
}

const firstPauseMs = 500;
const longestPauseMs = 30_000;
/** A stream that held this long was no failure: the next one is opened soon. */
const steadyMs = 10_000;
const Acknowledged = z.looseObject({
  notifications: z.looseObject({ resourceSubscriptions: z.array(z.string()).optional() }),
});

type Kept = z.output<typeof Acknowledged>['notifications'];
type End = { readonly kind: 'again' | 'refused' } | { readonly kind: 'gone'; readonly error: unknown };

/** One wish, over as many requests as it takes to keep it. */
interface Stream {
  readonly uris: readonly string[];
  readonly life: AbortController;
  /** Undefined: refused. */
  readonly acknowledged: Promise<Kept | undefined>;
  acknowledge(kept: Kept | undefined): void;
}

/** Keeps one `subscriptions/listen` (MCP 2026-07-28, "Subscriptions") open for all that is to be heard; none where that is nothing. */
export class Listening {
  private readonly uris = new Set<string>();
  private stream: Stream | undefined;
  /** Changes of the wish, one after the other; what came meanwhile goes into the next. */
  private changing: Promise<unknown> = Promise.resolve();
  private next: Promise<Kept | undefined> | undefined;
  private kept: Kept = {};

  constructor(private readonly options: ListeningOptions) {}

  /** Of these lists the upstream said that it will tell. */
  keeps(list: keyof ListWish): boolean {
    return this.kept[list] === true;
  }

  /** Settles when the first wish was answered. */
  async start(): Promise<void> {
    await this.change();
  }

  /** False: the upstream does not tell of it. */
  async subscribe(uri: string): Promise<boolean> {
    this.uris.add(uri);
    const kept = await this.change();
    if (kept?.resourceSubscriptions?.includes(uri) === true) return true;
    this.uris.delete(uri);
    return false;
  }

  async unsubscribe(uri: string): Promise<void> {
    if (this.uris.delete(uri)) await this.change();
  }

  private change(): Promise<Kept | undefined> {
    if (this.next !== undefined) return this.next;
    const next = this.changing.then(async () => {
      this.next = undefined;
      return await this.replace();
    });
    this.next = next;
    this.changing = next;
    return next;
  }

  /** The new stream is there before the old one ends: nothing is lost between them. */
  private async replace(): Promise<Kept | undefined> {
    const before = this.stream;
    const uris = [...this.uris];
    const isWanted = uris.length > 0 || Object.keys(this.options.lists).length > 0;
    const stream = isWanted && !this.options.signal.aborted ? newStream(uris) : undefined;
    if (stream !== undefined) void this.keepOpen(stream);
    const kept = await stream?.acknowledged;
    if (stream !== undefined && kept === undefined && before !== undefined) return undefined;
    this.stream = stream;
    this.kept = kept ?? {};
    before?.life.abort();
    return kept;
  }

  private async keepOpen(stream: Stream): Promise<void> {
    await withOwnSignal(this.options.signal, async (own) => {
      stream.life.signal.addEventListener('abort', () => own.abort(), { once: true });
      let failures = 0;
      for (let attempt = 1; !own.signal.aborted; attempt += 1) {
        const start = performance.now();
        const end = await this.hear(stream, own.signal, attempt === 1);
        if (own.signal.aborted) break;
        if (end.kind === 'gone') this.options.onGone(end.error);
        if (end.kind !== 'again') break;
        failures = performance.now() - start > steadyMs ? 0 : failures + 1;
        const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.max(0, failures - 1));
        await wait(pauseMs, undefined, { signal: own.signal, ref: false }).catch(() => undefined);
      }
    });
    stream.acknowledge(undefined);
    if (this.stream === stream) this.kept = {};
  }

  /** Why it ended. */
  private async hear(stream: Stream, signal: AbortSignal, isFirst: boolean): Promise<End> {
    let isKept = false;
    const { wire, sender, lists } = this.options;
    const { uris } = stream;
    const notifications = { ...lists, ...(uris.length > 0 && { resourceSubscriptions: uris }) };
    try {
      const reply = await withOwnSignal(signal, (own) =>
        wire.request({
          method: 'subscriptions/listen',
          paramsText: `{"notifications":${JSON.stringify(notifications)},"_meta":${requestMeta(sender())}}`,
          signal: own.signal,
          onNotification: (notification) => {
            if (notification.method === 'notifications/cancelled') return own.abort();
            if (notification.method !== 'notifications/subscriptions/acknowledged')
              return this.options.onNotification(notification);
            isKept = true;
            stream.acknowledge(keptIn(notification));
            if (!isFirst) this.options.onGap();
          },
        }),
      );
      return endOf(reply, { isFirst, isKept });
    } catch (error) {
      if (isKept) return { kind: 'again' };
      return isFirst ? { kind: 'refused' } : { kind: 'gone', error };
    }
  }
}

function newStream(uris: readonly string[]): Stream {
  let acknowledge: Stream['acknowledge'] = () => undefined;
  const acknowledged = new Promise<Kept | undefined>((resolve) => {
    acknowledge = resolve;
  });
  return { uris, life: new AbortController(), acknowledged, acknowledge };
}

function keptIn({ params }: Notification): Kept {
  return Acknowledged.safeParse(params).data?.notifications ?? {};
}

function endOf(reply: Reply, { isFirst, isKept }: { isFirst: boolean; isKept: boolean }): End {
  if (isKept || reply.kind === 'transport_failure') return { kind: 'again' };
  if (reply.kind === 'no_answer' && reply.status >= 500) return { kind: 'again' };
  const isOther =
    reply.kind === 'no_answer' ||
    (reply.kind === 'upstream_error' && reply.code === rpcCodes.unsupportedVersion);
  return isOther && !isFirst ? { kind: 'gone', error: undefined } : { kind: 'refused' };
}
