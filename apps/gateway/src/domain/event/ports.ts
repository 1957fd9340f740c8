import type { EventRun, KeptGroup, NotedEvent, PlacedGroup, RunId, TenantId } from '@uar/contracts';
import type { Unavailable } from '../call/ports.js';

/** Takes events and writes them behind the caller's back: nobody waits, and a full queue costs events only. */
export interface EventSink {
  note(place: { readonly tenant: TenantId; readonly run?: EventRun }, event: NotedEvent): void;
}

/** What is read of a run or, without one, of the tenant: everything after a place. */
export interface WindowPlace {
  readonly tenant: TenantId;
  readonly runId?: RunId;
}

export interface WindowPage {
  readonly kind: 'page';
  readonly groups: readonly KeptGroup[];
  readonly more: boolean;
  /** Place of the newest event there ever was; 0: none. */
  readonly last: number;
  /** Events after the place that was asked about are not kept any more. */
  readonly lost: boolean;
}

/** A group as it is told of; without text where it has to be read. */
export type ToldGroup = PlacedGroup & { readonly events_json?: string | undefined };

/** The events that the ledger keeps, and the news of those that come. */
export interface EventWindow {
  read(place: WindowPlace, after: number): Promise<WindowPage | Unavailable>;
  /** Tells of new groups of the tenant, in order as far as nothing was lost on the way. The returned function ends it. */
  onNews(tenant: TenantId, listener: (groups: readonly ToldGroup[]) => void): () => void;
}
