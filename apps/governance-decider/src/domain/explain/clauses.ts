import type { PolicyJson, PartyScope } from '../policy/policy-json.js';
import { isExact, withExactNumbers } from './exact-numbers.js';
import { expressionText, stringText } from './expression-text.js';

/** A part of a policy's conditions that alone can keep the policy from applying. */
export interface Clause {
  readonly part: 'when' | 'unless';
  /** Which of the policy's conditions it belongs to. */
  readonly condition: number;
  /** Cedar. */
  readonly text: string;
  /** False: a number in it is approximate, so that nothing follows from trying it. */
  readonly isExact: boolean;
}

/** Every operand of `&&` in a `when`, every operand of `||` in an `unless`, in the order in which they are evaluated. */
export function clausesOf(policy: PolicyJson, text: string): readonly Clause[] {
  return policy.conditions.flatMap(({ kind, body }, condition) =>
    operandsOf(withExactNumbers(body, text), kind === 'when' ? '&&' : '||').map((operand): Clause => ({
      part: kind,
      condition,
      text: expressionText(operand),
      isExact: isExact(operand),
    })),
  );
}

function operandsOf(body: unknown, operator: string): readonly unknown[] {
  const operands: unknown[] = [];
  let rest: unknown = body;
  for (;;) {
    const pair: unknown = isRecord(rest) ? rest[operator] : undefined;
    if (!isRecord(pair)) return [rest, ...operands];
    operands.unshift(...operandsOf(pair['right'], operator));
    rest = pair['left'];
  }
}

/** What a scope asks of a resource, as Cedar. */
export function resourceScopeText(scope: PartyScope): string {
  switch (scope.op) {
    case 'All':
      return 'resource';
    case '==':
    case 'in':
      return `resource ${scope.op} ${uidText(scope.entity)}`;
    case 'is': {
      const within = scope.in === undefined ? '' : ` in ${uidText(scope.in.entity)}`;
      return `resource is ${scope.entity_type}${within}`;
    }
  }
}

export function uidText(uid: { readonly type: string; readonly id: string }): string {
  return `${uid.type}::${stringText(uid.id)}`;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
