import type { Ending } from '../call/ending.js';
import type { RunningCall } from '../call/running-call.js';
import type { RunDenial, Runs } from './runs.js';

type Loss = RunDenial | 'not_in_run';

/** What ends a call that a host may be running already; everything else stops calls before that. */
const stopsDispatched: readonly Loss[] = ['run_cancelled', 'agent_not_registered'];

/** Takes calls back whose run was cancelled or narrowed, or whose agent is gone, in whichever gateway they are. */
export class LiveRuns {
  constructor(
    private readonly runs: Runs,
    private readonly calls: () => Iterable<RunningCall>,
  ) {}

  check(): void {
    for (const call of this.calls()) {
      const lost = this.lossOf(call);
      if (lost === undefined || (call.isDispatched && !stopsDispatched.includes(lost))) continue;
      call.withdraw(endOf(lost));
    }
  }

  /** A call that is still being staged meets its run by itself. A session's end lets its calls end as they will. */
  private lossOf({ entry, proposed, argumentsDigest, caller }: RunningCall): Loss | undefined {
    const scoped =
      entry === undefined ? proposed.about?.item : { name: entry.name, server: entry.facts.server };
    if (scoped === undefined || argumentsDigest === undefined) return undefined;
    const lost = this.runs.lost(caller, scoped);
    return lost === 'run_completed' ? undefined : lost;
  }
}

function endOf(lost: Loss): Ending {
  return { outcome: lost === 'run_cancelled' ? 'cancelled' : 'run_denied', cause: lost };
}
