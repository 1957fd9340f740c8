import { agentOf, type Principal } from '@uar/contracts';
import { entityRef, type Entity, type Uid } from '../cedar/cedar.js';
import { agentUid, groupUid, roleUid, tenantUid, userUid } from '../cedar/entity-ids.js';
import { isWellFormed } from '../cedar/well-formed.js';
import type { Directory } from './directory.js';

/** One party that must be allowed: the user, the agent, or both where an agent acts for a user. */
export interface Subject {
  readonly uid: Uid;
  readonly ancestors: readonly Uid[];
}

export type Subjects =
  | {
      readonly kind: 'known';
      /** At least one; all must be allowed. */
      readonly subjects: readonly Subject[];
      readonly entities: readonly Entity[];
      /** Users who are parties to whatever the principal asks for: nobody of them may approve it. */
      readonly parties: readonly Uid[];
      readonly user?: Uid;
      readonly agent?: Uid;
    }
  | { readonly kind: 'refused'; readonly cause: 'agent_unknown' | 'request_invalid' };

export function subjectsOf(principal: Principal, directory: Directory): Subjects {
  if (!isSpeakable(principal)) return { kind: 'refused', cause: 'request_invalid' };
  const agentId = agentOf(principal);
  const user = principal.kind === 'user' ? userEntity(principal, directory) : undefined;
  if (agentId === undefined) return known({ user });
  const facts = directory.agent(principal.tenant, agentId);
  if (facts === undefined) return { kind: 'refused', cause: 'agent_unknown' };
  const owner = userUid(principal.tenant, facts.owner);
  const agent: Entity = {
    uid: agentUid(principal.tenant, agentId),
    attrs: {
      tenant: entityRef(tenantUid(principal.tenant)),
      suspended: facts.suspended,
      owner: entityRef(owner),
      maxRisk: facts.maxRisk,
    },
    parents: facts.class === undefined ? [] : [{ type: 'UAR::AgentClass', id: facts.class }],
  };
  return known({ user, agent, owner });
}

function known(found: { user?: Entity | undefined; agent?: Entity; owner?: Uid }): Subjects {
  const entities = [found.agent, found.user].filter((entity) => entity !== undefined);
  const parties = [found.user?.uid, found.owner].filter((uid) => uid !== undefined);
  return {
    kind: 'known',
    subjects: entities.map((entity) => ({ uid: entity.uid, ancestors: entity.parents })),
    entities,
    parties,
    ...(found.user === undefined ? {} : { user: found.user.uid }),
    ...(found.agent === undefined ? {} : { agent: found.agent.uid }),
  };
}

function userEntity(principal: Principal, directory: Directory): Entity {
  const { tenant, subject, roles, groups } = principal;
  return {
    uid: userUid(tenant, subject),
    attrs: {
      tenant: entityRef(tenantUid(tenant)),
      suspended: directory.isUserSuspended(tenant, subject),
      mfa: principal.mfa,
    },
    parents: [
      ...roles.map((role) => roleUid(tenant, role)),
      ...groups.map((group) => groupUid(tenant, group)),
    ],
    tags: principal.claims,
  };
}

function isSpeakable(principal: Principal): boolean {
  const { subject, agent_id: agentId = '', roles, groups, claims } = principal;
  return [subject, agentId, ...roles, ...groups, ...Object.entries(claims).flat()].every(isWellFormed);
}
