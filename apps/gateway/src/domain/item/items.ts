import type { Caller, Item, ItemListName } from '@uar/contracts';
import type { CallPipeline, EndedCall } from '../call/proposed-call.js';
import type { ItemAsk, ItemDesk, ItemEnded, ItemRequest, ListedItems } from './item-desk.js';

/** Lists what upstreams offer besides tools, and hands requests about it to the pipeline of all calls. */
export class Items implements ItemDesk {
  constructor(
    private readonly lists: Pick<ItemDesk, 'list' | 'mayRead'>,
    private readonly pipeline: Pick<CallPipeline, 'propose'>,
  ) {}

  list(caller: Caller, list: ItemListName, server?: string): Promise<ListedItems> {
    return this.lists.list(caller, list, server);
  }

  mayRead(caller: Caller, item: Item): Promise<boolean> {
    return this.lists.mayRead(caller, item);
  }

  request(ask: ItemAsk): ItemRequest {
    const { caller, item, method, paramsJson, seat, client, onProgress } = ask;
    const handle = this.pipeline.propose({
      caller,
      toolName: `${item.server}/${method}`,
      argumentsJson: paramsJson,
      about: { item, method },
      ...(seat === undefined ? {} : { seat }),
      ...(client === undefined ? {} : { client }),
      ...(onProgress === undefined ? {} : { onProgress }),
    });
    ask.onCancel?.(() => handle.cancel());
    const { callId, decided, ended } = handle;
    return { callId, decided, ended: ended.then(itemEnded), park: () => handle.park() };
  }
}

function itemEnded({ callId, outcome, message, ...rest }: EndedCall): ItemEnded {
  const { resultJson, upstreamError, retryAfterMs, faultId } = rest;
  return {
    callId,
    outcome,
    message,
    ...(resultJson === undefined ? {} : { resultJson }),
    ...(upstreamError === undefined ? {} : { upstreamError }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(faultId === undefined ? {} : { faultId }),
  };
}
