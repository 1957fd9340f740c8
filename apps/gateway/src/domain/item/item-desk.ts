import type { CallId, Caller, Item, ItemListName, ItemMethod, Outcome, Seat } from '@uar/contracts';
import type { CallHandle, UpstreamError } from '../call/proposed-call.js';
import type { CallClient } from '../client/call-client.js';
import type { RunDenial } from '../run/runs.js';

/** What one upstream offers: MCP objects as it sent them, in its order. */
export interface ServerItems {
  readonly server: string;
  readonly definitions: readonly string[];
}

/** An upstream whose part is missing or cut, and why. */
export interface IncompleteItems {
  readonly server: string;
  readonly reason: string;
}

export type ListedItems =
  | {
      readonly kind: 'listed';
      /** What the caller may read or get, in order of server. */
      readonly servers: readonly ServerItems[];
      readonly incomplete: readonly IncompleteItems[];
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
  /** Who is asked what the upstream asks meanwhile, where the seat is that of this request alone. */
  readonly client?: CallClient;
  /** A listener of the client's cancellation. */
  onCancel?(listener: () => void): void;
  /** `params` of each `notifications/progress` without the token, as JSON text. Never called after the end. */
  readonly onProgress?: (paramsJson: string) => void;
}

/**
 * How it ended: `completed` has the result as the upstream sent it. `policy_denied` is said of whatever the caller may not read,
 * whether it exists or not: clients are to be told that there is no such item.
 */
export interface ItemEnded {
  readonly callId: CallId;
  readonly outcome: Outcome;
  /** The outcome's fixed text. */
  readonly message: string;
  readonly resultJson?: string;
  readonly upstreamError?: UpstreamError;
  readonly retryAfterMs?: number;
  /** Names the log line; with `internal_fault` only. */
  readonly faultId?: string;
}

/** The call id is known at once, so that what the upstream asks meanwhile finds its client. `ended` never rejects. */
export interface ItemRequest extends Pick<CallHandle, 'callId' | 'decided' | 'park'> {
  readonly ended: Promise<ItemEnded>;
}

/** Resources and prompts on the road of the tools: same identity, run, policy and receipts (DESIGN.md 12). */
export interface ItemDesk {
  /** Of one upstream, or of all that the caller's run leaves. */
  list(caller: Caller, list: ItemListName, server?: string): Promise<ListedItems>;
  /** False too where nobody can say. */
  mayRead(caller: Caller, item: Item): Promise<boolean>;
  request(ask: ItemAsk): ItemRequest;
}
