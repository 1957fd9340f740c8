import type { CatalogEntry } from '@uar/contracts';
import { missing, over, type Passed } from '../call/ending.js';
import type { RunningCall } from '../call/running-call.js';
import { leaves } from './effective-run.js';
import { inRun, type Runs } from './runs.js';

/** A call that waited enters its run again: undefined where it still may, with the limits of now. */
export async function reenter(
  call: RunningCall,
  entry: CatalogEntry,
  runs: Runs,
): Promise<Passed<never> | undefined> {
  const entered = await runs.enter(call.caller);
  switch (entered.kind) {
    case 'unavailable':
      return missing(entered);
    case 'denied':
      return over('run_denied', { cause: entered.cause });
    case 'entered':
      if (!leaves(entered.frame.effective, { name: entry.name, server: entry.facts.server }))
        return over('run_denied', { cause: 'not_in_run' });
      call.caller = inRun(call.caller, entered.frame);
      return undefined;
  }
}
