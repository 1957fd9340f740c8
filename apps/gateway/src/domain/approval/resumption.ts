import type { Clock } from '../call/ports.js';
import { Deferred } from '../call/deferred.js';
import type { CallHandle, ProposedCall } from '../call/proposed-call.js';
import type { RunningCall } from '../call/running-call.js';
import { Waiter } from '../call/waiter.js';
import type { Left } from '../execute/execution.js';
import { callViewText } from '../view/call-view.js';
import type { AskedCall, Resumed, ResumeAsk } from './parked-calls.js';

interface ResumptionParts {
  readonly clock: Clock;
  /** Nobody who waits is needed from then on. */
  readonly leave: (handle: CallHandle) => Promise<Left>;
  /** Undefined: nothing is asked any more. */
  readonly sendAway: () => AskedCall | undefined;
}

/** One wait of a caller that came back to its call. */
export class Resumption {
  private readonly result = new Deferred<Resumed>();
  private readonly stops: (() => void)[] = [];
  private stopWatching = (): void => undefined;

  constructor(
    private readonly call: RunningCall,
    private readonly ask: ResumeAsk,
    private readonly parts: ResumptionParts,
  ) {}

  /** `proposed`: as it was by whoever left the call; `begin` is given who waits now. */
  wait(proposed: ProposedCall, begin: (waiter: Waiter) => void): Promise<Resumed> {
    const { clock } = this.parts;
    const { waitMs, taskAfterMs, onCancel } = this.ask;
    let endTimer = (): void => undefined;
    const waiter = new Waiter(
      this.call,
      this.proposedAgain(proposed, () => endTimer()),
      () => clock.now(),
    );
    this.watch(waiter, proposed);
    endTimer = clock.after(waitMs, () => this.stillPending(waiter));
    this.stops.push(endTimer);
    if (taskAfterMs !== undefined)
      this.stops.push(clock.after(taskAfterMs, () => void this.leave(waiter, proposed)));
    void waiter.ended.then((ended) => this.finish({ kind: 'ended', ended }));
    onCancel(() => waiter.cancel());
    begin(waiter);
    return this.result.promise;
  }

  private proposedAgain({ seat, client }: ProposedCall, onSettled: () => void): ProposedCall {
    const { caller, onProgress } = this.ask;
    const { toolName, argumentsJson } = this.call.proposed;
    return {
      ...{ caller, toolName, argumentsJson, onSettled },
      ...(seat !== undefined && { seat }),
      ...(client !== undefined && { client }),
      ...(onProgress !== undefined && { onProgress }),
    };
  }

  private watch(waiter: Waiter, { client }: ProposedCall): void {
    const stop = client?.asks.watch(() => {
      const asked = this.parts.sendAway();
      if (asked === undefined) return;
      waiter.park();
      this.finish({ kind: 'asked', asked });
    });
    this.stopWatching = () => stop?.();
  }

  private stillPending(waiter: Waiter): void {
    const { approval } = this.call;
    if (approval === null) return;
    waiter.park();
    this.finish({ kind: 'pending', approval });
  }

  /** A call that cannot be kept stays with its caller. */
  private async leave(waiter: Waiter, proposed: ProposedCall): Promise<void> {
    this.stopWatching();
    const { state, isKept } = await this.parts.leave(waiter);
    if (state.kind === 'pending' && isKept) this.finish({ kind: 'left', viewJson: callViewText(state) });
    else this.watch(waiter, proposed);
  }

  private finish(resumed: Resumed): void {
    for (const stop of this.stops) stop();
    this.stopWatching();
    this.result.resolve(resumed);
  }
}
