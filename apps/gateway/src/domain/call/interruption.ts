import { over, type Passed } from './ending.js';
import type { RunningCall } from './running-call.js';

/** How an interrupted call that was not dispatched ends; undefined when nobody interrupted it. */
export function interruptedEnd(call: RunningCall): Passed<never> | undefined {
  switch (call.interruption) {
    case undefined:
      return undefined;
    case 'cancelled':
      return call.withdrawal === undefined ? over('cancelled') : { kind: 'over', ending: call.withdrawal };
    case 'abandoned':
      return over('channel_closed');
    case 'suspended':
      return over('policy_denied', { cause: 'suspended' });
    case 'deadline':
      // Only a call that waits for a human was late because of one (DESIGN.md 9).
      return call.approval === null
        ? over('unavailable', { cause: 'deadline_before_dispatch' })
        : over('approval_timeout', { cause: 'deadline' });
  }
}
