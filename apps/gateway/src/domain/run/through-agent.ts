import { shareBearer } from '../access/caller-bearers.js';
import { agentOf, type Caller, type Principal } from '@uar/contracts';

/** The same object for the same principal and agent: what is remembered of a principal is found again. */
const known = new WeakMap<Principal, Map<string, Principal>>();

/**
 * What is done in a run of an agent is done by the agent on behalf of whoever asks, whether or not the token says so:
 * both must be allowed (GOVERNANCE.md 1), and it is no person's doing any more (GOVERNANCE.md 3).
 */
export function throughAgent(caller: Caller, agentId: string | undefined): Caller {
  if (agentId === undefined || agentOf(caller.principal) === agentId) return caller;
  const channel = caller.channel === 'interactive' ? 'api' : caller.channel;
  return { ...caller, principal: actingThrough(caller.principal, agentId), channel };
}

function actingThrough(principal: Principal, agentId: string): Principal {
  const byAgent = known.get(principal) ?? new Map<string, Principal>();
  known.set(principal, byAgent);
  const acting = byAgent.get(agentId) ?? { ...principal, agent_id: agentId };
  byAgent.set(agentId, acting);
  shareBearer(principal, acting);
  return acting;
}
