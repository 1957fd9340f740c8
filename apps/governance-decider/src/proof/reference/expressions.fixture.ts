import { callExtension, isExtension } from './extension-calls.fixture.js';
import type { Hierarchy } from './hierarchy.fixture.js';
import {
  EvaluationError,
  bool,
  equal,
  expectKind,
  isMember,
  isSubset,
  within64,
  type Value,
  type ValueOf,
} from './values.fixture.js';

/** What the variables of a policy stand for. */
export interface Scope {
  readonly variables: Readonly<Record<string, Value>>;
  readonly hierarchy: Hierarchy;
}

/** Cedar's JSON form of an expression: an object with the operator as its one member. */
export type Expression = Readonly<Record<string, unknown>>;

interface Operands {
  readonly left: Expression;
  readonly right: Expression;
  readonly arg: Expression;
  readonly attr: string | readonly string[];
}

export function evaluate(expression: Expression, scope: Scope): Value {
  const [entry, ...more] = Object.entries(expression);
  if (entry === undefined || more.length > 0) throw new Error(`no expression: ${JSON.stringify(expression)}`);
  const [operator, body] = entry;
  const of = (inner: Expression): Value => evaluate(inner, scope);
  if (isExtension(operator)) return callExtension(operator, (body as Expression[]).map(of));
  return evaluateOperator(operator, body as never, { scope, of });
}

interface In {
  readonly scope: Scope;
  readonly of: (inner: Expression) => Value;
}

function evaluateOperator(operator: string, body: never, at: In): Value {
  switch (operator) {
    case 'Value':
      return literal(body);
    case 'Var':
      return variable(body, at.scope);
    case 'Set':
      return { kind: 'set', members: (body as Expression[]).map(at.of) };
    case 'Record':
      return record(body, at);
    case 'if-then-else': {
      const { if: condition, then, else: other } = body as Record<'if' | 'then' | 'else', Expression>;
      return at.of(expectKind(at.of(condition), 'bool').is ? then : other);
    }
    case '&&':
    case '||':
      return logical(operator, body, at);
    case 'is':
      return isOfType(body, at);
    case 'like': {
      const { left, pattern } = body as { left: Expression; pattern: readonly PatternPart[] };
      return bool(isLike(expectKind(at.of(left), 'string').is, pattern));
    }
    case '.':
    case 'has':
      return attribute(operator, body, at);
    case '!':
      return bool(!expectKind(at.of((body as Operands).arg), 'bool').is);
    case 'neg':
      return { kind: 'long', is: within64(-expectKind(at.of((body as Operands).arg), 'long').is) };
    case 'isEmpty':
      return bool(expectKind(at.of((body as Operands).arg), 'set').members.length === 0);
  }
  const { left, right } = body as Operands;
  return binary(operator, [at.of(left), at.of(right)], at.scope);
}

function literal(json: unknown): Value {
  if (typeof json === 'boolean') return bool(json);
  if (typeof json === 'number') return { kind: 'long', is: BigInt(json) };
  if (typeof json === 'string') return { kind: 'string', is: json };
  const { __entity } = json as { __entity: { type: string; id: string } };
  return { kind: 'entity', type: __entity.type, id: __entity.id };
}

function variable(name: string, scope: Scope): Value {
  const value = scope.variables[name];
  if (value === undefined) throw new Error(`no variable ${name}`);
  return value;
}

function record(body: Readonly<Record<string, Expression>>, at: In): Value {
  return {
    kind: 'record',
    members: new Map(Object.entries(body).map(([name, inner]) => [name, at.of(inner)])),
  };
}

/** The right operand counts, and may fail, only where the left one does not decide. */
function logical(operator: '&&' | '||', { left, right }: Operands, at: In): Value {
  const first = expectKind(at.of(left), 'bool');
  return first.is === (operator === '||') ? first : expectKind(at.of(right), 'bool');
}

function isOfType(body: { left: Expression; entity_type: string; in?: Expression }, at: In): Value {
  const entity = expectKind(at.of(body.left), 'entity');
  if (entity.type !== body.entity_type) return bool(false);
  return body.in === undefined ? bool(true) : bool(isIn(entity, at.of(body.in), at.scope));
}

type PatternPart = 'Wildcard' | { readonly Literal: string };

/** By characters; a wildcard takes any number of them. */
function isLike(text: string, pattern: readonly PatternPart[]): boolean {
  const parts = pattern.flatMap((part) => (part === 'Wildcard' ? [part] : [...part.Literal].map(escaped)));
  const source = parts.map((part) => (part === 'Wildcard' ? '[\\s\\S]*' : part)).join('');
  return new RegExp(`^${source}$`, 'u').test(text);
}

function escaped(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

function attribute(operator: '.' | 'has', body: Operands, at: In): Value {
  const names = typeof body.attr === 'string' ? [body.attr] : body.attr;
  let value: Value | undefined = at.of(body.left);
  for (const name of names) {
    const found: Value | undefined = attributeOf(value, name, at.scope);
    if (found === undefined && operator === 'has') return bool(false);
    if (found === undefined) throw new EvaluationError(`no attribute ${name}`);
    value = found;
  }
  return operator === 'has' ? bool(true) : value;
}

function attributeOf(value: Value, name: string, scope: Scope): Value | undefined {
  if (value.kind === 'record') return value.members.get(name);
  return scope.hierarchy.find(expectKind(value, 'entity'))?.attributes.get(name);
}

function isIn(entity: ValueOf<'entity'>, place: Value, scope: Scope): boolean {
  if (place.kind === 'entity') return scope.hierarchy.isIn(entity, place);
  const places = expectKind(place, 'set').members.map((member) => expectKind(member, 'entity'));
  return places.some((one) => scope.hierarchy.isIn(entity, one));
}

function binary(operator: string, [left, right]: readonly [Value, Value], scope: Scope): Value {
  switch (operator) {
    case '==':
      return bool(equal(left, right));
    case '!=':
      return bool(!equal(left, right));
    case '<':
    case '<=':
    case '>':
    case '>=':
      return bool(compare(operator, left, right));
    case '+':
    case '-':
    case '*':
      return { kind: 'long', is: arithmetic(operator, left, right) };
    case 'in':
      return bool(isIn(expectKind(left, 'entity'), right, scope));
    case 'contains':
      return bool(isMember(expectKind(left, 'set'), right));
    case 'containsAll':
      return bool(isSubset(expectKind(right, 'set'), expectKind(left, 'set')));
    case 'containsAny': {
      const [one, other] = [expectKind(left, 'set'), expectKind(right, 'set')];
      return bool(one.members.some((member) => isMember(other, member)));
    }
    case 'getTag':
    case 'hasTag':
      return tag(operator, [expectKind(left, 'entity'), expectKind(right, 'string').is], scope);
  }
  throw new Error(`no operator ${operator}`);
}

const comparable = ['long', 'datetime', 'duration'] as const;

function compare(operator: '<' | '<=' | '>' | '>=', left: Value, right: Value): boolean {
  const kind = comparable.find((one) => one === left.kind);
  if (kind === undefined) throw new EvaluationError(`${left.kind} has no order`);
  const [one, other] = [expectKind(left, kind).is, expectKind(right, kind).is];
  switch (operator) {
    case '<':
      return one < other;
    case '<=':
      return one <= other;
    case '>':
      return one > other;
    case '>=':
      return one >= other;
  }
}

function arithmetic(operator: '+' | '-' | '*', left: Value, right: Value): bigint {
  const [one, other] = [expectKind(left, 'long').is, expectKind(right, 'long').is];
  switch (operator) {
    case '+':
      return within64(one + other);
    case '-':
      return within64(one - other);
    case '*':
      return within64(one * other);
  }
}

function tag(
  operator: 'getTag' | 'hasTag',
  [entity, name]: readonly [ValueOf<'entity'>, string],
  scope: Scope,
): Value {
  const found = scope.hierarchy.find(entity)?.tags.get(name);
  if (operator === 'hasTag') return bool(found !== undefined);
  if (found === undefined) throw new EvaluationError(`no tag ${name}`);
  return found;
}
