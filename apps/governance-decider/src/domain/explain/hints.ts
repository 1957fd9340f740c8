import type { ExplainHint, FailedCondition } from '@uar/contracts';
import type { CedarQuestion } from '../cedar/cedar.js';
import type { Verdict } from '../cedar/judge.js';
import type { Stage } from '../policy/laboratory.js';
import type { Policy, PolicySet, PolicyTexts } from '../policy/policy-set.js';
import { coversAction, coversEntity, type Placed, type ToolAction } from '../policy/scope.js';
import type { Subject } from '../question/subjects.js';
import { tryClauses, type ClauseFound } from './clause-trial.js';
import { clausesOf, resourceScopeText, uidText, type Clause } from './clauses.js';

/** A question that was answered with no. */
export interface RefusedQuestion {
  readonly action: ToolAction;
  readonly subject: Subject;
  readonly question: CedarQuestion;
  readonly verdict: Extract<Verdict, { kind: 'no' }>;
}

export interface HintGround {
  readonly set: PolicySet;
  /** The schema, and the policies of the set as they were written. */
  readonly texts: PolicyTexts;
  readonly tool: Placed;
  readonly stage: Pick<Stage, 'rehearse'>;
}

const mostHints = 20;

/** What would have to be otherwise for a yes: the nearest policies first. */
export async function hintsOf(
  refused: readonly RefusedQuestion[],
  ground: HintGround,
): Promise<readonly ExplainHint[]> {
  const near = refused.flatMap((one) =>
    nearPolicies(one, ground.set).map((policy) => ({
      one,
      policy,
      clauses: clausesOf(policy.json, ground.texts.policies[policy.id] ?? ''),
    })),
  );
  const found = await tryClauses(
    near.map(({ one, clauses }) => ({ schema: ground.texts.schema, clauses, question: one.question })),
    ground.stage,
  );
  const hints = near.map(({ one, policy, clauses }, index) =>
    hintOf({ one, policy, ground }, clauses, found[index] ?? []),
  );
  return [...refused.flatMap((one) => withoutPermit(one, ground.set)), ...nearestFirst(hints)].slice(
    0,
    mostHints,
  );
}

function nearPolicies({ action, subject, verdict }: RefusedQuestion, set: PolicySet): readonly Policy[] {
  switch (verdict.code) {
    case 'forbidden':
    case 'policy_error':
      return set.policies.filter(({ id }) => verdict.determining.includes(id));
    case 'not_permitted':
      return permitsFor(action, subject, set);
    case 'request_invalid':
    case 'engine_failed':
    case 'engine_timeout':
    case 'engine_overloaded':
    case 'engine_unavailable':
    case 'not_asked':
      return [];
  }
}

/** Permits of the action to this principal, whatever their resource and conditions are. */
function permitsFor(action: ToolAction, subject: Subject, set: PolicySet): readonly Policy[] {
  return set.policies.filter(
    ({ id, json }) =>
      set.permits.has(id) && coversAction(json.action, action) && coversEntity(json.principal, subject),
  );
}

function withoutPermit(
  { action, subject, verdict }: RefusedQuestion,
  set: PolicySet,
): readonly ExplainHint[] {
  if (verdict.code !== 'not_permitted' || permitsFor(action, subject, set).length > 0) return [];
  return [{ kind: 'no_permit', action, principal: uidText(subject.uid) }];
}

function hintOf(
  about: { readonly one: RefusedQuestion; readonly policy: Policy; readonly ground: HintGround },
  clauses: readonly Clause[],
  found: readonly (ClauseFound | undefined)[],
): ExplainHint {
  const { one, policy, ground } = about;
  const reason = policy.json.annotations?.['reason'];
  const question = {
    action: one.action,
    principal: uidText(one.subject.uid),
    policy: policy.id,
    ...(typeof reason === 'string' ? { reason } : {}),
  };
  const seen = clauses.flatMap((clause, index): Seen[] => {
    const result = found[index];
    return result === undefined ? [] : [{ ...clause, found: result }];
  });
  const isKnown = seen.length === clauses.length;
  if (one.verdict.code !== 'not_permitted') {
    const kind = one.verdict.code === 'forbidden' ? 'forbid' : 'error';
    return { kind, ...question, ...(isKnown ? { held: seen.map(shown) } : {}) };
  }
  const scope: FailedCondition[] = coversEntity(policy.json.resource, ground.tool)
    ? []
    : [{ part: 'resource', text: resourceScopeText(policy.json.resource), found: 'false' }];
  const fails = [...scope, ...seen.filter((clause, at) => isFailure(clause, seen.slice(0, at))).map(shown)];
  return { kind: 'permit', ...question, ...(isKnown || scope.length > 0 ? { fails } : {}) };
}

type Seen = Clause & { readonly found: ClauseFound };

/** What a clause finds counts only as long as the clauses before it did not settle their condition. */
function isFailure(clause: Seen, before: readonly Seen[]): boolean {
  const settles = ({ part, found }: Seen) => found === (part === 'when' ? 'false' : 'true');
  if (settles(clause)) return true;
  const isReached = !before.some((other) => other.condition === clause.condition && settles(other));
  return clause.found === 'erred' && isReached;
}

function shown({ part, text, found }: Seen): FailedCondition {
  return { part, text, found };
}

/** Another resource is further away than any condition about this one. */
const resourceDistance = 1_000;

function nearestFirst(hints: readonly ExplainHint[]): readonly ExplainHint[] {
  return hints.toSorted((left, right) => distanceOf(left) - distanceOf(right));
}

function distanceOf(hint: ExplainHint): number {
  if (hint.kind !== 'permit') return 0;
  const { fails } = hint;
  if (fails === undefined) return resourceDistance / 2;
  return fails.reduce((sum, { part }) => sum + (part === 'resource' ? resourceDistance : 1), 0);
}
