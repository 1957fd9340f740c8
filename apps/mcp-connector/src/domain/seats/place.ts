import type { HostAnswer, Seat } from '@uar/contracts';
import type { Subscriptions } from '../items/subscriptions.js';
import type { Upstream } from '../upstream.js';

export const cancelledBefore = { kind: 'cancelled', dispatched: false } as const;
/** Of a call that found no room: there may be some in a moment. */
export const overloaded = { kind: 'overloaded', retry_after_ms: 1_000 } as const;

/** Whose call it is. */
export interface Claim {
  /** Of the verified grant. */
  readonly principal: string;
  readonly seat: Seat | undefined;
}

/** Where one call is dispatched to. */
export interface Place {
  readonly upstream: Upstream;
  readonly subscriptions: Subscriptions;
  /** The call is over; to be called once. */
  leave(): void;
}

export type Placed =
  | { readonly kind: 'placed'; readonly place: Place }
  /** Nothing was dispatched. */
  | Extract<HostAnswer, { kind: 'unavailable' | 'overloaded' | 'cancelled' }>;
