import { agentOf, type CallQuestion, type ExplainHint } from '@uar/contracts';
import type { CallVerdict } from '../decide/verdict.js';

/** What has to change where no policy refused. */
export function plainHints({ caller, tool }: CallQuestion, verdict: CallVerdict): ExplainHint[] {
  if (verdict.kind !== 'deny') return [];
  const { principal } = caller;
  if (verdict.outcome === 'quarantined') return [{ kind: 'review' }];
  if (verdict.outcome === 'capability_denied') {
    const held = [principal.capabilities, caller.run_limits?.capabilities];
    const missing = tool.capabilities.filter((needed) =>
      held.some((capabilities) => capabilities !== undefined && !capabilities.includes(needed)),
    );
    return [{ kind: 'capability', missing }];
  }
  const agent = agentOf(principal);
  return verdict.cause === 'agent_unknown' && agent !== undefined ? [{ kind: 'agent', agent }] : [];
}
