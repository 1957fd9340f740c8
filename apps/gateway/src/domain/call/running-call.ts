import {
  principalId,
  type ApprovalStatus,
  type ApprovalView,
  type CallId,
  type Caller,
  type CatalogEntry,
  type CatalogServer,
  type Digest,
  type GrantTarget,
  type AskOf,
  type ReceiptPosition,
  type Seat,
  type reviewVotes,
} from '@uar/contracts';
import type { CallClient } from '../client/call-client.js';
import { CallTrail } from '../event/call-trail.js';
import type { EventSink } from '../event/ports.js';
import type { Ending } from './ending.js';
import type { Clock } from './ports.js';
import type { CallOwner, DecisionFacts, EndedCall, PendingCall, ProposedCall } from './proposed-call.js';
import type { Waiter } from './waiter.js';

/** Why a call ends before it is dispatched, from outside of the stages. */
export type Interruption = 'cancelled' | 'abandoned' | 'deadline' | 'suspended';

/** Votes of the durable record: they are written before anybody reviews them, and nobody takes one back. */
export type ReviewedVotes = Pick<AskOf<typeof reviewVotes>, 'approvers' | 'requested_at'>;

/** One call between proposal and end: what is known of it so far, and who waits for it. Owned by the pipeline. */
export class RunningCall {
  /** As given, until stage 3 put the run it really belongs to. */
  caller: Caller;
  entry: CatalogEntry | undefined;
  server: CatalogServer | undefined;
  argumentsDigest: Digest | undefined;
  decision: DecisionFacts | null = null;
  approval: ApprovalView | null = null;
  intent: ReceiptPosition | null = null;
  /** The votes by which it was released, once these were reviewed here. */
  release: ReviewedVotes | undefined;
  target: GrantTarget | undefined;
  ended: EndedCall | undefined;
  /** How it ends before dispatch where it was taken from its caller, not given up by it. */
  withdrawal: Ending | undefined;
  /** Of what the host answered, once a receipt names it. */
  resultDigest: Digest | undefined;
  readonly waiters = new Set<Waiter>();
  readonly startedAt: number;
  readonly trail: CallTrail;
  /** Whom the upstream asks. */
  client: CallClient | undefined;
  private interruptedBy: Interruption | undefined;
  private dispatched = false;
  private passedOn = false;
  private isSettled = false;
  /** Told of an interruption before dispatch, of a cancel after it, and of every change of the waiters. */
  private stir: (() => void) | undefined;

  readonly owner: CallOwner;

  constructor(
    readonly callId: CallId,
    readonly proposed: ProposedCall,
    { clock, events }: { readonly clock: Pick<Clock, 'now'>; readonly events: EventSink },
  ) {
    const { principal } = proposed.caller;
    this.startedAt = clock.now();
    this.trail = new CallTrail(this, events, () => clock.now());
    this.caller = proposed.caller;
    this.owner = { tenant: principal.tenant, principal: principalId(principal) };
  }

  get interruption(): Interruption | undefined {
    return this.interruptedBy;
  }

  get isDispatched(): boolean {
    return this.dispatched;
  }

  get deadlineAt(): number {
    return this.proposed.deadlineMs === undefined ? Infinity : this.startedAt + this.proposed.deadlineMs;
  }

  /** The first one counts. After dispatch only a cancel is passed on, to the host. */
  interrupt(by: Interruption): void {
    if (this.ended !== undefined || this.interruptedBy !== undefined) return;
    if (this.dispatched && by !== 'cancelled') return;
    this.interruptedBy = by;
    this.stir?.();
  }

  /** A cancel that is not the caller's own. */
  withdraw(ending: Ending): void {
    if (this.ended !== undefined || this.interruptedBy !== undefined) return;
    this.withdrawal = ending;
    this.interrupt('cancelled');
  }

  /** From now on somebody may have run it. */
  dispatch(): void {
    this.dispatched = true;
    this.client = this.asking.client;
    this.decide();
    this.trail.dispatched();
  }

  /** Stages 1 to 5 are over. */
  decide(): void {
    this.passedOn = true;
    this.trail.decided();
    for (const waiter of this.waiters) waiter.tellDecided();
  }

  /** A human is asked. */
  waitFor(approval: ApprovalView): void {
    this.approval = approval;
    this.decide();
    this.trail.approvalRequired(approval);
    for (const waiter of this.waiters) waiter.tellWaiting(approval);
  }

  /** The question has its answer. */
  settle(status: ApprovalStatus): void {
    if (this.isSettled || this.approval === null) return;
    this.isSettled = true;
    this.approval = { ...this.approval, status };
    for (const waiter of this.waiters) waiter.tellSettled(this.approval.approval_id);
  }

  /** One listener at a time: the stage the call is in. The returned function ends it. */
  onStir(listener: () => void): () => void {
    this.stir = listener;
    return () => {
      if (this.stir === listener) this.stir = undefined;
    };
  }

  take(waiter: Waiter): void {
    this.waiters.add(waiter);
    waiter.call = this;
    if (this.passedOn) waiter.tellDecided();
    if (this.approval !== null) waiter.tellWaiting(this.approval);
    if (this.approval !== null && this.isSettled) waiter.tellSettled(this.approval.approval_id);
    this.stir?.();
  }

  /** Somebody waits for the result now, or asked to be let go with it. */
  isWanted(): boolean {
    return [...this.waiters].some((waiter) => waiter.hold === 'waits' || waiter.hold === 'detached');
  }

  /** Of whoever waits now: a call may have been joined since it was proposed, and its first waiter be gone. */
  get seat(): Seat | undefined {
    return this.asking.seat;
  }

  /** Everybody who waits now, and who proposed it: all of them the same principal. */
  get callers(): readonly Caller[] {
    const waiting = [...this.waiters].filter(({ hold }) => hold === 'waits');
    return [...waiting.map(({ proposed }) => proposed.caller), this.proposed.caller];
  }

  /** Who left it to come back does not. */
  forsake(): void {
    for (const waiter of this.waiters) if (waiter.hold === 'parked') waiter.hold = 'gone';
    if (!this.isHeld()) this.interrupt('cancelled');
  }

  isHeld(): boolean {
    return [...this.waiters].some((waiter) => waiter.hold !== 'gone');
  }

  progress(paramsJson: string): void {
    this.trail.progress(paramsJson);
    for (const waiter of this.waiters) if (waiter.hold === 'waits') waiter.proposed.onProgress?.(paramsJson);
  }

  private get asking(): ProposedCall {
    return [...this.waiters].find(({ hold }) => hold === 'waits')?.proposed ?? this.proposed;
  }

  end(ended: EndedCall): void {
    this.ended = ended;
    this.trail.ended(ended);
    this.stir = undefined;
    for (const waiter of this.waiters) waiter.tellEnded(ended);
  }

  state(now: number): PendingCall | EndedCall {
    if (this.ended !== undefined) return this.ended;
    return {
      kind: 'pending',
      callId: this.callId,
      runId: this.caller.run_id,
      toolName: this.proposed.toolName,
      decision: this.decision,
      approval: this.approval,
      durationMs: now - this.startedAt,
    };
  }
}
