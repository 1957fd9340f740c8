import { agentOf, type Principal } from '@uar/contracts';
import type { Directory } from '../question/directory.js';

/** Whose call was allowed: enough of a principal to look it up again. */
export type Party = Pick<Principal, 'tenant' | 'kind' | 'subject' | 'agent_id'>;

/** What is switched by settings and holds at once, also for a call that was allowed a moment ago and has no grant yet. */
export function barredBy(directory: Directory, party: Party): 'kill_switch' | 'suspended' | undefined {
  const { tenant, kind, subject } = party;
  if (directory.tenant(tenant).killSwitch) return 'kill_switch';
  if (kind === 'user' && directory.isUserSuspended(tenant, subject)) return 'suspended';
  const agentId = agentOf(party);
  if (agentId === undefined) return undefined;
  // An agent that is registered no more is as good as suspended.
  return directory.agent(tenant, agentId)?.suspended === false ? undefined : 'suspended';
}
