/** A value of the Cedar language, as our own evaluator holds it (docs.cedarpolicy.com, "Data types"). */
export type Value =
  | { readonly kind: 'bool'; readonly is: boolean }
  | { readonly kind: 'long'; readonly is: bigint }
  | { readonly kind: 'string'; readonly is: string }
  | { readonly kind: 'entity'; readonly type: string; readonly id: string }
  | { readonly kind: 'set'; readonly members: readonly Value[] }
  | { readonly kind: 'record'; readonly members: ReadonlyMap<string, Value> }
  /** Ten-thousandths. */
  | { readonly kind: 'decimal'; readonly is: bigint }
  /** Milliseconds since the epoch, and milliseconds. */
  | { readonly kind: 'datetime'; readonly is: bigint }
  | { readonly kind: 'duration'; readonly is: bigint }
  | { readonly kind: 'ip'; readonly bits: 32 | 128; readonly address: bigint; readonly prefix: number };

export type ValueOf<K extends Value['kind']> = Extract<Value, { kind: K }>;

/** What ends the evaluation of one policy, and of that one alone. */
export class EvaluationError extends Error {}

export function bool(is: boolean): ValueOf<'bool'> {
  return { kind: 'bool', is };
}

const longMin = -(2n ** 63n);
const longMax = 2n ** 63n - 1n;

/** 64 bits with a sign; beyond is an error, never a wrap. */
export function within64(number: bigint): bigint {
  if (number < longMin || number > longMax) throw new EvaluationError('overflow');
  return number;
}

export function expectKind<K extends Value['kind']>(value: Value, kind: K): ValueOf<K> {
  if (value.kind !== kind) throw new EvaluationError(`${value.kind} where ${kind} is needed`);
  return value as ValueOf<K>;
}

/** Values of different types are not equal; that is no error. Sets have neither order nor repetition. */
export function equal(left: Value, right: Value): boolean {
  if (left.kind === 'set' && right.kind === 'set') return isSubset(left, right) && isSubset(right, left);
  if (left.kind === 'record' && right.kind === 'record') return equalRecords(left, right);
  return scalarKey(left) !== undefined && scalarKey(left) === scalarKey(right);
}

export function isMember(set: ValueOf<'set'>, value: Value): boolean {
  return set.members.some((member) => equal(member, value));
}

export function isSubset(part: ValueOf<'set'>, whole: ValueOf<'set'>): boolean {
  return part.members.every((member) => isMember(whole, member));
}

function equalRecords(left: ValueOf<'record'>, right: ValueOf<'record'>): boolean {
  if (left.members.size !== right.members.size) return false;
  return [...left.members].every(([name, value]) => {
    const other = right.members.get(name);
    return other !== undefined && equal(value, other);
  });
}

function scalarKey(value: Value): string | undefined {
  switch (value.kind) {
    case 'entity':
      return JSON.stringify(['entity', value.type, value.id]);
    case 'ip':
      return JSON.stringify(['ip', value.bits, String(value.address), value.prefix]);
    case 'bool':
    case 'long':
    case 'string':
    case 'decimal':
    case 'datetime':
    case 'duration':
      return JSON.stringify([value.kind, String(value.is)]);
    case 'set':
    case 'record':
      return undefined;
  }
}
