import { coversAction, type ToolAction } from '../../scope.js';
import type { PolicyJson } from '../../policy-json.js';
import type { Policy, PolicySet } from '../../policy-set.js';
import { chain, contextSteps, isExpression, operands, stringsIn } from '../expressions.js';
import { pointerReads, type PointerRead } from './pointer-reads.js';
import { PolicyText } from '../policy-text.js';
import type { PolicyProblem } from '../problem.js';

const callActions: readonly ToolAction[] = ['callTool', 'callToolUnattended', 'callToolApproved'];

/**
 * A `forbid` that reads an argument does nothing when the argument is not there, or of another type. Flagged unless some
 * forbid of the set in the same scope fires just then.
 */
export function dodgedForbids(
  set: PolicySet,
  texts: Readonly<Record<string, string>>,
): readonly PolicyProblem[] {
  const forbids = set.policies.filter(({ json }) => json.effect === 'forbid');
  const unconditional = forbids.filter(({ json }) => json.conditions.length === 0);
  const guardsOf = guardsByTag(forbids);
  const isGuarded = (json: PolicyJson, read: PointerRead) =>
    [...unconditional, ...(guardsOf.get(keyOf(read)) ?? [])].some((guard) => coversScope(guard.json, json));
  return forbids.flatMap(({ id, json }) =>
    readsOfTags(json)
      .filter((read) => isDodged(json, read) && !isGuarded(json, read))
      .map((read) => ({
        policy: id,
        ...described(read),
        ...new PolicyText(texts[id] ?? '').tag(read.pointer),
      })),
  );
}

function described({
  bag,
  pointer,
}: PointerRead): Pick<PolicyProblem, 'message' | 'severity' | 'suggestion'> {
  const message = `without a value of its type at "${pointer}" this forbid does nothing: forbid as well what lacks it`;
  const suggestion = `unless { context.args.${bag}.hasTag(${JSON.stringify(pointer)}) }`;
  return { message, severity: 'warning', suggestion };
}

/** Forbids that fire because a tag is missing: only what asks for the tag can. */
function guardsByTag(forbids: readonly Policy[]): ReadonlyMap<string, readonly Policy[]> {
  const found = new Map<string, Policy[]>();
  for (const policy of forbids)
    for (const read of readsOfTags(policy.json)) {
      if (!firesWithout(policy.json, read)) continue;
      const guards = found.get(keyOf(read));
      if (guards === undefined) found.set(keyOf(read), [policy]);
      else guards.push(policy);
    }
  return found;
}

function keyOf({ bag, pointer }: PointerRead): string {
  return `${bag} ${pointer}`;
}

function readsOfTags(json: PolicyJson): readonly PointerRead[] {
  return pointerReads(json.conditions).filter(({ bag }) => bag !== 'paths' && bag !== 'nulls');
}

/** Some alternative of a `when` reads the tag and cannot hold without it. */
function isDodged(json: PolicyJson, read: PointerRead): boolean {
  const bodies = json.conditions.filter(({ kind }) => kind === 'when').map(({ body }) => body);
  return (
    bodies.some((body) => {
      const readers = chain(body, '||').filter((part) => mentions(part, read));
      const others = chain(body, '||').filter((part) => !readers.includes(part));
      const isCovered = others.some((part) => valueWithout(part, read) === true);
      return !isCovered && readers.some((part) => valueWithout(part, read) === false);
    }) && !firesWithout(json, read)
  );
}

function mentions(part: unknown, { bag, pointer }: PointerRead): boolean {
  return pointerReads(part).some((read) => read.bag === bag && read.pointer === pointer);
}

/** Fires for certain when the tag is missing. */
function firesWithout(json: PolicyJson, read: PointerRead): boolean {
  return json.conditions.every(({ kind, body }) => valueWithout(body, read) === (kind === 'when'));
}

function coversScope(guard: PolicyJson, guarded: PolicyJson): boolean {
  const needed = callActions.filter((action) => coversAction(guarded.action, action));
  const isEarlier = coversAction(guard.action, 'callTool');
  if (!isEarlier && !needed.every((action) => coversAction(guard.action, action))) return false;
  return coversParty(guard.principal, guarded.principal) && coversParty(guard.resource, guarded.resource);
}

type Party = PolicyJson['principal'];

function coversParty(guard: Party, guarded: Party): boolean {
  if (guard.op === 'All' || JSON.stringify(guard) === JSON.stringify(guarded)) return true;
  if (guard.op !== 'in' || guarded.op === 'All' || guarded.op === 'is') return false;
  const { type, id } = guard.entity;
  const isContainer = type === 'UAR::Server' || type === 'UAR::Tenant';
  return isContainer && guarded.entity.id.startsWith(`${id}/`);
}

/** What an expression comes to when the tag is missing and nothing else is known. */
function valueWithout(expression: unknown, read: PointerRead): boolean | undefined {
  if (!isExpression(expression)) return undefined;
  if (typeof expression['Value'] === 'boolean') return expression['Value'];
  const tag = operands(expression, 'hasTag');
  if (tag !== undefined) return asksFor(tag.left, tag.right, read) ? false : undefined;
  const negated = expression['!'];
  if (isExpression(negated)) {
    const value = valueWithout(negated['arg'], read);
    return value === undefined ? undefined : !value;
  }
  return joined(expression, '&&', read) ?? joined(expression, '||', read);
}

function joined(expression: unknown, operator: '&&' | '||', read: PointerRead): boolean | undefined {
  if (operands(expression, operator) === undefined) return undefined;
  const values = chain(expression, operator).map((part) => valueWithout(part, read));
  const decisive = operator === '||';
  if (values.includes(decisive)) return decisive;
  return values.includes(undefined) ? undefined : !decisive;
}

function asksFor(bag: unknown, pointer: unknown, read: PointerRead): boolean {
  const steps = contextSteps(bag);
  const [only, ...more] = stringsIn(pointer);
  return steps?.join('.') === `args.${read.bag}` && only === read.pointer && more.length === 0;
}
