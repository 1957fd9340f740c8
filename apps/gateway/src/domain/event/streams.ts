import type { Caller } from '@uar/contracts';
import type { Unavailable } from '../call/ports.js';
import type { ShownEvent } from './shown-events.js';

/** Why a stream ends that its subscriber did not end. */
export type StreamEnd =
  'run_ended' | 'token_expired' | 'not_allowed' | 'too_slow' | 'unavailable' | 'stopping';

/** The way to one subscriber. */
export interface Outlet {
  /** More waits to be sent than may wait: nothing more is taken until it drained. */
  readonly isFull: boolean;
  send(event: ShownEvent): void;
  end(reason: StreamEnd): void;
  onDrain(listener: () => void): void;
  onClose(listener: () => void): void;
}

export interface StreamRequest {
  readonly caller: Caller;
  /** Absent: all that the caller may see of its tenant. */
  readonly runId?: string;
  /** Place of the last event the subscriber has. */
  readonly lastEventId?: number;
}

export type StreamAnswer =
  /** `begin` takes the place that was kept; whoever does not begin gives it back with `leave`. */
  | { readonly kind: 'admitted'; begin(outlet: Outlet): void; leave(): void }
  /** The run has ended, and the subscriber has all of it. */
  | { readonly kind: 'complete' }
  | { readonly kind: 'not_found' }
  | { readonly kind: 'limited'; readonly retryAfterMs: number }
  | Unavailable;

/** Live events with resume (DESIGN.md 11). */
export interface EventStreams {
  open(request: StreamRequest): Promise<StreamAnswer>;
}

/** Injection token of the EventStreams. */
export const EVENT_STREAMS = Symbol('uar.gateway.event-streams');
