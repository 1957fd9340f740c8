import type { CallId, Digest, InstanceId } from '@uar/contracts';
import type { CallOwner } from '../call/proposed-call.js';
import type { Unavailable } from '../call/ports.js';

export interface KeptCall {
  readonly kind: 'found';
  readonly owner: CallOwner;
  /** CallView as JSON text. */
  readonly viewJson: string;
  /** The gateway at which it has not ended. */
  readonly pendingAt?: InstanceId;
}

export interface ViewToKeep {
  readonly owner: CallOwner;
  readonly callId: CallId;
  /** CallView as JSON text. */
  readonly viewJson: string;
  /** What `viewJson` is a part of: too long to be kept, and held in memory here, for a time. */
  readonly wholeJson?: string;
  /** The call has not ended: should this gateway die, its view is ended in its place. */
  readonly isPending: boolean;
  readonly forMs: number;
}

export type Claim =
  | { readonly kind: 'claimed' }
  | { readonly kind: 'same'; readonly call_id: CallId }
  | { readonly kind: 'other_request' }
  | Unavailable;

/** Views of calls that outlive their request: async ones and those with an Idempotency-Key. */
export interface KeptCalls {
  /** False: it is not kept, and the log says why. */
  keep(view: ViewToKeep): Promise<boolean>;
  read(tenant: string, callId: CallId): Promise<KeptCall | { readonly kind: 'not_found' } | Unavailable>;
  claim(ask: {
    readonly owner: CallOwner;
    readonly key: string;
    readonly requestDigest: Digest;
    readonly callId: CallId;
    /** The call that has the key now, and ran nothing. */
    readonly insteadOf?: CallId | undefined;
    /** CallView as JSON text, kept with the claim until the call has an end. */
    readonly pendingJson: string;
    readonly forMs: number;
  }): Promise<Claim>;
}
