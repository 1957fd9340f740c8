import type { Caller, Item, ItemListName, ItemMethod, Seat } from '@uar/contracts';
import { ItemMethod as ItemMethods } from '@uar/contracts';
import type { JsonText } from '@uar/json-text';
import type { Front } from '../../../domain/front/front.js';
import type { ItemAsk, ItemRequest } from '../../../domain/item/item-desk.js';
import { emptyResult, RpcError, unavailableError } from '../calls/call-result.js';
import { type Listing, listPage, readCursor } from '../calls/list-page.js';
import { progressUnder } from '../calls/params.js';
import type { Answering, SessionRequest } from '../calls/session-requests.js';
import { rpcCodes } from '../rpc-codes.js';
import { endSubscriptions } from './end-subscriptions.js';
import { type ItemParams, readItemParams } from './item-params.js';
import { itemResult } from './item-result.js';
import { Subscriptions } from './subscriptions.js';

export interface ItemAnswerParts {
  readonly front: Front;
  readonly items: {
    /** Without its call id where it began with an earlier request. */
    request(ask: ItemAsk): Pick<ItemRequest, 'ended'> & Partial<Pick<ItemRequest, 'callId'>>;
  };
  caller(): Caller;
  seat(): Seat;
}

const listNames: Readonly<Record<ItemListName, Listing['name']>> = {
  resources: 'resources',
  templates: 'resourceTemplates',
  prompts: 'prompts',
};

/** What one session answers about resources and prompts. */
export class ItemAnswers {
  readonly subscriptions = new Subscriptions();
  readonly byMethod: readonly (readonly [string, Answering])[];

  constructor(private readonly parts: ItemAnswerParts) {
    this.byMethod = [
      ['resources/list', ({ params }) => this.list('resources', params)],
      ['resources/templates/list', ({ params }) => this.list('templates', params)],
      ['prompts/list', ({ params }) => this.list('prompts', params)],
      ...ItemMethods.options.map(
        (method) => [method, (request: SessionRequest) => this.answer(method, request)] as const,
      ),
    ];
  }

  /** The client hears of nothing any more, and whoever counts subscribers is told. */
  async endSubscriptions(): Promise<void> {
    const method = 'resources/unsubscribe';
    const { caller, items, seat } = this.parts;
    const left = this.subscriptions.items;
    this.subscriptions.clear();
    await endSubscriptions(left, (item) => {
      const paramsJson = JSON.stringify({ uri: item.id });
      return items.request({ caller: caller(), method, item, paramsJson, seat: seat() }).ended;
    });
  }

  private async list(list: ItemListName, params: unknown): Promise<JsonText> {
    const cursor = readCursor(params);
    const name = listNames[list];
    const listed = await this.parts.front.items(this.parts.caller(), list);
    if (listed.kind === 'unavailable') throw unavailableError();
    if (listed.kind === 'denied') return listPage({ name, definitions: [] }, cursor);
    return listPage({ name, ...listed }, cursor);
  }

  private async answer(method: ItemMethod, request: SessionRequest): Promise<JsonText> {
    const wanted = readItemParams(method, request.params);
    const cancelled = listenForCancel(request);
    const item = await this.parts.front.item(this.parts.caller(), wanted.kind, wanted.id);
    if (item.kind === 'unavailable') throw unavailableError();
    switch (method) {
      case 'resources/subscribe':
        return this.subscribe(item, wanted, () => this.ask(method, { request, item, wanted, cancelled }));
      case 'resources/unsubscribe':
        return this.unsubscribe(item, () => this.ask(method, { request, item, wanted, cancelled }));
      case 'resources/read':
      case 'prompts/get':
      case 'completion/complete':
        return this.ask(method, { request, item, wanted, cancelled });
    }
  }

  private async ask(method: ItemMethod, { request, item, wanted, cancelled }: Asking): Promise<JsonText> {
    const { front, items, caller, seat } = this.parts;
    const { progressToken } = wanted;
    const { callId, ended } = items.request({
      ...{ caller: caller(), method, item, seat: seat() },
      paramsJson: JSON.stringify(wanted.named(item.id)),
      onCancel: cancelled,
      ...(progressToken !== undefined && {
        onProgress: (params: string) => request.notify(progressUnder(progressToken, params)),
      }),
    });
    if (callId !== undefined) request.runs({ callId });
    const end = await ended;
    if (method !== 'resources/read' || end.resultJson === undefined) return itemResult(end, wanted);
    const resultJson = front.shownContents(item, wanted.id, end.resultJson);
    return itemResult({ ...end, resultJson }, wanted);
  }

  /** Known before it is asked for: the first news may come before the answer. */
  private async subscribe(item: Item, { id }: ItemParams, ask: () => Promise<JsonText>): Promise<JsonText> {
    const { subscriptions } = this;
    if (subscriptions.has(item)) return emptyResult;
    if (subscriptions.isFull)
      throw new RpcError(rpcCodes.internalError, 'this session has as many subscriptions as it may');
    subscriptions.add(item, id);
    try {
      return await ask();
    } catch (error) {
      subscriptions.remove(item);
      throw error;
    }
  }

  /** Subscribers are counted: whoever is none must not be taken for one that leaves. */
  private async unsubscribe(item: Item, ask: () => Promise<JsonText>): Promise<JsonText> {
    if (!this.subscriptions.has(item)) return emptyResult;
    this.subscriptions.remove(item);
    return ask();
  }
}

interface Asking {
  readonly request: SessionRequest;
  readonly item: Item;
  readonly wanted: ItemParams;
  cancelled(listener: () => void): void;
}

/** The client may cancel before anybody listens: then whoever does is told at once. */
function listenForCancel(request: SessionRequest): (listener: () => void) => void {
  let isCancelled = false;
  let told: (() => void) | undefined;
  request.onCancel(() => {
    isCancelled = true;
    told?.();
  });
  return (listener) => {
    told = listener;
    if (isCancelled) listener();
  };
}
