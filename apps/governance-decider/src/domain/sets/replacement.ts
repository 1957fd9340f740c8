import type { Rehearsed } from './rehearsals.js';
import type { OwnTexts } from './wanted.js';

/** A candidate for a tenant's set, in the words of whoever wants to write it. */
export interface Replacement {
  readonly tenant: string;
  /** Absent: whatever the folder says. */
  readonly own: OwnTexts | undefined;
  /** Version that must be in force. */
  readonly ifVersion: string;
  /** Makes it durable, over the revision that the ledger holds; `file`: digest of the folder's set at this moment. */
  persist(over: { readonly revision: number; readonly file: string }): Promise<Persisted>;
}

export type Persisted =
  | { readonly kind: 'persisted' }
  /** Somebody else wrote meanwhile. */
  | { readonly kind: 'conflict' }
  | { readonly kind: 'unavailable'; readonly cause: string };

export type Replaced =
  | { readonly kind: 'replaced' }
  | { readonly kind: 'conflict'; readonly version: string }
  | Extract<Rehearsed, { kind: 'refused' }>
  | { readonly kind: 'unavailable'; readonly cause: string }
  | { readonly kind: 'not_yet_active'; readonly cause: string };
