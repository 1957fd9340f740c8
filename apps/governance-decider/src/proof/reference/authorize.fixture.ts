import type { CedarQuestion } from '../../domain/cedar/cedar.js';
import { evaluate, type Expression, type Scope } from './expressions.fixture.js';
import { Hierarchy, membersOf } from './hierarchy.fixture.js';
import { EvaluationError, expectKind, type Value, type ValueOf } from './values.fixture.js';

interface Uid {
  readonly type: string;
  readonly id: string;
}

export interface ScopeJson {
  readonly op: string;
  readonly entity?: Uid | { readonly __entity: Uid };
  readonly entities?: readonly (Uid | { readonly __entity: Uid })[];
  readonly entity_type?: string;
  readonly in?: { readonly entity: Uid | { readonly __entity: Uid } };
}

/** A policy in Cedar's JSON form. */
export interface ReferencePolicy {
  readonly effect: 'permit' | 'forbid';
  readonly principal: ScopeJson;
  readonly action: ScopeJson;
  readonly resource: ScopeJson;
  readonly conditions: readonly { readonly kind: 'when' | 'unless'; readonly body: Expression }[];
}

/** All lists sorted. */
export interface Authorized {
  readonly decision: 'allow' | 'deny';
  readonly reasons: readonly string[];
  readonly errors: readonly string[];
}

/**
 * Cedar's own rule (docs.cedarpolicy.com, "Authorization"): a satisfied forbid denies, else a satisfied permit allows, else
 * it is a deny; a policy that fails is neither.
 */
export function authorize(
  policies: ReadonlyMap<string, ReferencePolicy>,
  question: CedarQuestion,
  actionGroups: Readonly<Record<string, readonly string[]>>,
): Authorized {
  const scope = scopeOf(question, actionGroups);
  const permits: string[] = [];
  const forbids: string[] = [];
  const errors: string[] = [];
  for (const [id, policy] of policies) {
    const found = satisfied(policy, scope);
    if (found === 'failed') errors.push(id);
    else if (found) (policy.effect === 'permit' ? permits : forbids).push(id);
  }
  const isAllowed = forbids.length === 0 && permits.length > 0;
  return {
    decision: isAllowed ? 'allow' : 'deny',
    reasons: (isAllowed ? permits : forbids).toSorted(),
    errors: errors.toSorted(),
  };
}

function scopeOf(question: CedarQuestion, actionGroups: Readonly<Record<string, readonly string[]>>): Scope {
  return {
    variables: {
      principal: { kind: 'entity', ...question.principal },
      action: { kind: 'entity', type: 'UAR::Action', id: question.action },
      resource: { kind: 'entity', ...question.resource },
      context: { kind: 'record', members: membersOf(question.context) },
    },
    hierarchy: new Hierarchy(question.entities, actionGroups),
  };
}

function satisfied(policy: ReferencePolicy, scope: Scope): boolean | 'failed' {
  const variable = (name: 'principal' | 'action' | 'resource') =>
    covers(policy[name], scope.variables[name], scope);
  if (!variable('principal') || !variable('action') || !variable('resource')) return false;
  try {
    return policy.conditions.every(({ kind, body }) => {
      const holds = expectKind(evaluate(body, scope), 'bool').is;
      return holds === (kind === 'when');
    });
  } catch (error) {
    if (error instanceof EvaluationError) return 'failed';
    throw error;
  }
}

function covers(json: ScopeJson, value: Value | undefined, scope: Scope): boolean {
  if (value?.kind !== 'entity') throw new Error('no entity in a scope');
  switch (json.op) {
    case 'All':
      return true;
    case '==': {
      const { type, id } = uidOf(json.entity);
      return type === value.type && id === value.id;
    }
    case 'in':
      return (json.entities ?? [json.entity]).some((place) => scope.hierarchy.isIn(value, uidOf(place)));
    case 'is':
      return (
        json.entity_type === value.type && (json.in === undefined || isWithin(json.in.entity, value, scope))
      );
  }
  throw new Error(`no scope ${json.op}`);
}

function isWithin(place: NonNullable<ScopeJson['entity']>, value: ValueOf<'entity'>, scope: Scope): boolean {
  return scope.hierarchy.isIn(value, uidOf(place));
}

function uidOf(json: ScopeJson['entity']): Uid {
  if (json === undefined) throw new Error('no entity');
  return '__entity' in json ? json.__entity : json;
}
