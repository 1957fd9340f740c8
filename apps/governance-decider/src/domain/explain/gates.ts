import type { ExplainedGate } from '@uar/contracts';
import type { CallVerdict } from '../decide/verdict.js';
import type { PolicySet } from '../policy/policy-set.js';
import { namedPolicies, type AskedAction } from './tool-stages.js';

/** What asked for the human, where one is asked. */
export function gatesOf(
  verdict: CallVerdict,
  unattended: AskedAction | undefined,
  set: PolicySet,
): ExplainedGate[] {
  if (verdict.kind !== 'require_approval') return [];
  if (unattended?.verdict.kind !== 'no') return [{ kind: 'run' }];
  const { code, determining } = unattended.verdict;
  if (code === 'not_permitted') return [{ kind: 'no_permit' }];
  return namedPolicies(determining, set).map((named) => ({ kind: 'policy', ...named }));
}
