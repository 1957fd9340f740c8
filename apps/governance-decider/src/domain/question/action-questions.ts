import type { Caller, ProfileName, ToolFacts } from '@uar/contracts';
import { entityRef, type CedarQuestion, type Entity, type Uid } from '../cedar/cedar.js';
import { itemUid, serverUid, tenantUid } from '../cedar/entity-ids.js';
import { environment, wholeSecond } from './context.js';
import type { Directory } from './directory.js';
import { placeOf, tenantEntity, toolEntity } from './entities.js';
import { subjectsOf, type Subjects } from './subjects.js';

export interface ActionAsk {
  readonly caller: Caller;
  readonly profile: ProfileName;
  readonly now: number;
}

/** What an action is about. */
export type Target =
  | { readonly kind: 'tenant'; readonly tenant: string }
  | {
      readonly kind: 'approval';
      readonly id: string;
      readonly tenant: string;
      readonly tool: ToolFacts;
      readonly parties: readonly Uid[];
      readonly expiresAt: number;
    }
  | {
      readonly kind: 'resource' | 'prompt';
      readonly tenant: string;
      readonly server: string;
      /** URI, URI template or name, as the upstream has it. */
      readonly id: string;
    };

export type ActionQuestions =
  | { readonly kind: 'ready'; readonly questions: readonly CedarQuestion[] }
  | Extract<Subjects, { kind: 'refused' }>;

/** One question per subject: all must be answered with yes. `authors` belongs to `managePolicies` alone. */
export function actionQuestions(
  ask: ActionAsk,
  about: { readonly action: string; readonly target: Target; readonly authors?: readonly Uid[] },
  directory: Directory,
): ActionQuestions {
  const subjects = subjectsOf(ask.caller.principal, directory);
  if (subjects.kind === 'refused') return subjects;
  const { resource, entities } = targetEntities(about.target);
  const tenants = new Set([about.target.tenant, ask.caller.principal.tenant]);
  const context = {
    env: environment(ask),
    ...(about.action === 'managePolicies' ? { authors: (about.authors ?? []).map(entityRef) } : {}),
  };
  const all = [
    ...subjects.entities,
    ...entities,
    ...[...tenants].map((tenant) => tenantEntity(tenant, directory)),
  ];
  return {
    kind: 'ready',
    questions: subjects.subjects.map(({ uid }) => ({
      principal: uid,
      action: about.action,
      resource,
      context,
      entities: all,
    })),
  };
}

function targetEntities(target: Target): { resource: Uid; entities: readonly Entity[] } {
  switch (target.kind) {
    case 'tenant':
      return { resource: tenantUid(target.tenant), entities: [] };
    case 'approval':
      return approvalEntities(target);
    case 'resource':
    case 'prompt': {
      const { tenant, server } = target;
      const resource = itemUid(tenant, target);
      const parents = [serverUid(tenant, server), tenantUid(tenant)];
      return {
        resource,
        entities: [{ uid: resource, attrs: { tenant: entityRef(tenantUid(target.tenant)) }, parents }],
      };
    }
  }
}

function approvalEntities(target: Extract<Target, { kind: 'approval' }>): {
  resource: Uid;
  entities: readonly Entity[];
} {
  const resource: Uid = { type: 'UAR::ApprovalRequest', id: `${target.tenant}/${target.id}` };
  const attrs = {
    tenant: entityRef(tenantUid(target.tenant)),
    tool: entityRef(placeOf(target.tool).uid),
    riskTier: target.tool.risk,
    parties: target.parties.map(entityRef),
    expiresAt: wholeSecond('ceil', target.expiresAt),
  };
  return { resource, entities: [{ uid: resource, attrs, parents: [] }, toolEntity(target.tool)] };
}
