import type { CallId } from '@uar/contracts';
import type { CallHandle, CallOwner, EndedCall, PendingCall } from './proposed-call.js';
import type { RunningCall } from './running-call.js';
import { Waiter } from './waiter.js';

/** A call seen from outside its waiters: who looks at it does not hold it, and may end it for all of them. */
export class WholeCall implements CallHandle {
  readonly callId: CallId;
  readonly owner: CallOwner;
  private waiter: Waiter | undefined;

  constructor(
    private readonly call: RunningCall,
    private readonly now: () => number,
  ) {
    this.callId = call.callId;
    this.owner = call.owner;
  }

  get decided(): Promise<void> {
    return this.onlooker().decided;
  }

  get ended(): Promise<EndedCall> {
    return this.onlooker().ended;
  }

  state(): PendingCall | EndedCall {
    return this.call.state(this.now());
  }

  cancel(): void {
    this.call.interrupt('cancelled');
  }

  abandon(): void {}

  detach(): void {}

  park(): void {}

  private onlooker(): Waiter {
    if (this.waiter !== undefined) return this.waiter;
    const { caller, toolName, argumentsJson } = this.call.proposed;
    const waiter = new Waiter(this.call, { caller, toolName, argumentsJson }, this.now);
    waiter.hold = 'gone';
    if (this.call.ended === undefined) this.call.take(waiter);
    else waiter.tellEnded(this.call.ended);
    this.waiter = waiter;
    return waiter;
  }
}
