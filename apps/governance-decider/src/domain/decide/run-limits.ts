import type { Caller } from '@uar/contracts';
import { deny, type CallVerdict, type Judged, type ToolSight } from './verdict.js';

const asksAlways = 'the run asks a human about every call';

/** A run adds a gate, or refuses what would ask; it never lets pass what was refused or asked for (DESIGN.md 6). */
export function callUnderRun(verdict: CallVerdict, caller: Caller): CallVerdict {
  const approval = caller.run_limits?.tool_approval ?? 'auto';
  if (verdict.kind === 'deny') return verdict;
  const { determining } = verdict;
  switch (approval) {
    case 'auto':
      return verdict;
    case 'ask': {
      const reasons = verdict.kind === 'allow' ? [] : verdict.reasons;
      return { kind: 'require_approval', determining, reasons: [...reasons, asksAlways] };
    }
    case 'deny':
      return verdict.kind === 'allow' ? verdict : deny('run_denied', 'run_asks_nobody', determining);
  }
}

/** Votes count for nothing in a run where nobody may be asked any more. */
export function releaseUnderRun(judged: Judged, caller: Caller): Judged {
  const { verdict } = judged;
  if (caller.run_limits?.tool_approval !== 'deny' || verdict.kind === 'deny') return judged;
  return { ...judged, verdict: deny('run_denied', 'run_asks_nobody', verdict.determining) };
}

export function sightUnderRun(sight: ToolSight, caller: Caller): ToolSight {
  if (sight.kind === 'hidden' || caller.run_limits?.tool_approval !== 'ask') return sight;
  return { kind: 'visible', approval: 'always' };
}
