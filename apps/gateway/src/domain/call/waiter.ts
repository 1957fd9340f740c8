import type { ApprovalId, ApprovalView, CallId } from '@uar/contracts';
import { Deferred } from './deferred.js';
import type { CallHandle, CallOwner, EndedCall, PendingCall, ProposedCall } from './proposed-call.js';
import type { RunningCall } from './running-call.js';

/** `waits` for the result · `detached`: the call goes on without it · `parked`: it runs when somebody waits again · `gone` */
export type Hold = 'waits' | 'detached' | 'parked' | 'gone';

/** One who waits for a call; a call that joins another one brings its waiters along. */
export class Waiter implements CallHandle {
  hold: Hold = 'waits';
  private readonly decision = new Deferred<void>();
  private readonly end = new Deferred<EndedCall>();
  readonly decided = this.decision.promise;
  readonly ended = this.end.promise;
  private told = false;

  constructor(
    public call: RunningCall,
    readonly proposed: ProposedCall,
    private readonly now: () => number,
  ) {}

  get callId(): CallId {
    return this.call.callId;
  }

  get owner(): CallOwner {
    return this.call.owner;
  }

  state(): PendingCall | EndedCall {
    return this.call.state(this.now());
  }

  cancel(): void {
    this.hold = 'gone';
    if (!this.call.isHeld()) this.call.interrupt('cancelled');
  }

  abandon(): void {
    if (this.hold === 'detached') return;
    this.hold = 'gone';
    if (!this.call.isHeld()) this.call.interrupt('abandoned');
  }

  detach(): void {
    if (this.hold !== 'gone') this.hold = 'detached';
  }

  park(): void {
    if (this.hold === 'waits') this.hold = 'parked';
  }

  tellDecided(): void {
    this.decision.resolve();
  }

  tellEnded(ended: EndedCall): void {
    this.decision.resolve();
    this.end.resolve(ended);
  }

  tellSettled(approvalId: ApprovalId): void {
    this.proposed.onSettled?.(approvalId);
  }

  tellWaiting(approval: ApprovalView): void {
    if (this.told) return;
    this.told = true;
    this.proposed.onWaiting?.(approval);
  }
}
