import { JsonText, memberString } from '@uar/json-text';
import type { CallEnd, UpstreamCall } from '../../domain/upstream.js';
import { noticeText } from '../notice-text.js';
import type { ServerCapabilities } from './discover.js';
import { Listening, type ListeningOptions, type ListWish } from './listening.js';
import type { Hearer } from './notifications.js';
import { paramsText } from './params-text.js';
import type { Notification } from './wire.js';

export interface ChangesOptions
  extends Hearer, Pick<ListeningOptions, 'wire' | 'sender' | 'onGone' | 'signal'> {
  /** Of the server. */
  readonly capabilities: ServerCapabilities;
  /** It hears for everybody that lists changed; others hear of what they subscribed to alone. */
  readonly isBase: boolean;
}

/** How long the first list waits until the upstream tells of changes. */
const startMs = 1_000;
const methodNotFound = -32_601;
const ok: CallEnd = { kind: 'ran', result_json: '{}', is_error: false };

/** What an upstream without sessions tells of changes: of its lists, and of resources that somebody subscribed to. */
export class Changes {
  private readonly listening: Listening;
  private readonly lists: ListWish;

  constructor(private readonly options: ChangesOptions) {
    this.lists = options.isBase ? wishFor(options.capabilities) : {};
    this.listening = new Listening({
      ...options,
      lists: this.lists,
      onNotification: (notification) => this.hear(notification),
      onGap: () => this.tellOfAll(),
    });
  }

  keeps(list: keyof ListWish): boolean {
    return this.listening.keeps(list);
  }

  /** Settles when changes are heard of, or soon without. */
  async start(): Promise<void> {
    let isLate = false;
    const started = this.listening.start().then(() => {
      if (isLate) this.tellOfAll();
    });
    const late = new Promise<void>((resolve) => {
      setTimeout(resolve, startMs).unref();
    });
    await Promise.race([started, late]);
    isLate = true;
  }

  /** `resources/subscribe` and `resources/unsubscribe`, which this revision does not have; undefined: another method. */
  async answer({ method, params, signal, timeoutMs }: UpstreamCall): Promise<CallEnd | undefined> {
    const uri = params instanceof JsonText ? (memberString(params.text, 'uri') ?? '') : '';
    if (method === 'resources/unsubscribe') {
      void this.listening.unsubscribe(uri);
      return ok;
    }
    if (method !== 'resources/subscribe') return undefined;
    if (this.options.capabilities.resources?.subscribe !== true)
      return refused('the server does not tell of changes of a resource');
    const isKept = await Promise.race([
      this.listening.subscribe(uri),
      ended(AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])),
    ]);
    if (isKept === true) return ok;
    if (isKept === false) return refused('the server does not tell of changes of this resource');
    void this.listening.unsubscribe(uri);
    return signal.aborted ? { kind: 'cancelled', dispatched: true } : { kind: 'timeout' };
  }

  /** The mark of the subscription is between the upstream and us. */
  private hear(notification: Notification): void {
    const { method } = notification;
    if (method === 'notifications/tools/list_changed') return this.options.onToolsChanged();
    const paramsJson = noticeText(notification);
    if (paramsJson !== undefined)
      this.options.client.onNotice({ method, paramsJson: paramsText(paramsJson, {}) });
  }

  private tellOfAll(): void {
    const { client, onToolsChanged } = this.options;
    if (this.lists.toolsListChanged === true) onToolsChanged();
    for (const [wish, method] of itemNews)
      if (this.lists[wish] === true) client.onNotice({ method, paramsJson: '{}' });
  }
}

const itemNews = [
  ['resourcesListChanged', 'notifications/resources/list_changed'],
  ['promptsListChanged', 'notifications/prompts/list_changed'],
] as const;

function wishFor({ tools, resources, prompts }: ServerCapabilities): ListWish {
  return {
    ...(tools?.listChanged === true && { toolsListChanged: true }),
    ...(resources?.listChanged === true && { resourcesListChanged: true }),
    ...(prompts?.listChanged === true && { promptsListChanged: true }),
  };
}

function refused(message: string): CallEnd {
  return { kind: 'upstream_error', code: methodNotFound, message };
}

async function ended(signal: AbortSignal): Promise<undefined> {
  if (!signal.aborted)
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  return undefined;
}
