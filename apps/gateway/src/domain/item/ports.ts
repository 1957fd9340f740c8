import type {
  AnswerOf,
  AskOf,
  Caller,
  CatalogServer,
  InstanceId,
  Item,
  TenantId,
  listItems,
} from '@uar/contracts';
import type { Unavailable } from '../call/ports.js';

export interface ItemHosts {
  /** One page of an upstream's list. `withinMs` bounds the wait. */
  page(
    at: InstanceId,
    ask: AskOf<typeof listItems>,
    withinMs: number,
  ): Promise<AnswerOf<typeof listItems> | Unavailable>;
}

/** Which of these may the caller read or get? One word each, in order. */
export interface ItemSights {
  readable(caller: Caller, items: readonly Item[]): Promise<readonly boolean[] | Unavailable>;
}

export interface ItemServers {
  readonly ready: boolean;
  servers(tenant: TenantId): readonly CatalogServer[];
}
