import type { CallId, Caller, Item, ItemListName, ItemMethod, Outcome, Seat } from '@uar/contracts';
import type { UpstreamError } from '../call/proposed-call.js';
import type { RunDenial } from '../run/runs.js';

export type FrontItems =
  | {
      readonly kind: 'listed';
      /** MCP objects as the upstreams sent them, under the names that clients of the front use, in order of server and then as listed. */
      readonly definitions: readonly string[];
      /** Upstreams whose part is missing, and why. */
      readonly incomplete: readonly { readonly server: string; readonly reason: string }[];
    }
  /** The run serves this caller no more. */
  | { readonly kind: 'denied'; readonly cause: RunDenial }
  | { readonly kind: 'unavailable' };

/** A request about one resource or prompt, as a client of a front made it. */
export interface ItemAsk {
  readonly caller: Caller;
  readonly method: ItemMethod;
  readonly item: Item;
  /** `params` in the upstream's own names, without `_meta`. */
  readonly paramsJson: string;
  readonly seat?: Seat;
  /** A listener of the client's cancellation. */
  onCancel?(listener: () => void): void;
  /** `params` of each `notifications/progress` without the token, as JSON text. Absent: none is asked for. */
  readonly onProgress?: (paramsJson: string) => void;
}

/** How it ended: `completed` has the result as the upstream sent it. */
export interface ItemEnded {
  readonly callId: CallId;
  readonly outcome: Outcome;
  readonly message: string;
  readonly resultJson?: string;
  readonly upstreamError?: UpstreamError;
}

/** Resources and prompts on the road of the tools: same identity, run, policy and receipts (DESIGN.md 12). */
export interface ItemDesk {
  list(caller: Caller, list: ItemListName, server?: string): Promise<FrontItems>;
  /** The call id is known at once, so that what the upstream asks meanwhile finds its client. */
  request(ask: ItemAsk): { readonly callId: CallId; readonly ended: Promise<ItemEnded> };
}
