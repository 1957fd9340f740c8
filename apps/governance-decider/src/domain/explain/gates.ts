import type { Caller, ExplainedGate } from '@uar/contracts';
import type { CallVerdict } from '../decide/verdict.js';
import type { PolicySet } from '../policy/policy-set.js';
import { namedPolicies, type AskedAction } from './tool-stages.js';

/** What asked for the human, also where the run let nobody be asked. */
export function gatesOf(
  decided: { readonly verdict: CallVerdict; readonly caller: Caller },
  unattended: AskedAction | undefined,
  set: PolicySet,
): ExplainedGate[] {
  const { verdict, caller } = decided;
  const isAsked = verdict.kind === 'require_approval' || asksNobody(verdict);
  if (!isAsked) return [];
  const ofRun: ExplainedGate[] = caller.run_limits?.tool_approval === 'ask' ? [{ kind: 'run' }] : [];
  if (unattended?.verdict.kind !== 'no') return ofRun;
  const { code, determining } = unattended.verdict;
  if (code === 'not_permitted') return [{ kind: 'no_permit' }, ...ofRun];
  const policies = namedPolicies(determining, set);
  return [...policies.map((named): ExplainedGate => ({ kind: 'policy', ...named })), ...ofRun];
}

/** A human would have to be asked, and the run asks none. */
export function asksNobody(verdict: CallVerdict): boolean {
  return verdict.kind === 'deny' && verdict.cause === 'run_asks_nobody';
}
