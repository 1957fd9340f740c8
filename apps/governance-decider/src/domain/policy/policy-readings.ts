import type { Uid } from '../cedar/cedar.js';
import type { Policy } from './policy-set.js';

/** What the scope and the conditions of one policy name and read. */
export interface Readings {
  readonly attributes: Set<string>;
  readonly wholes: Set<string>;
  readonly named: Uid[];
  readsTags: boolean;
  /** Names of tags; undefined once one is not spelled out. */
  tags: Set<string> | undefined;
  /** What is asked to be in a set, by the set's name. */
  readonly members: { readonly name: string; readonly member: string }[];
  /** Names of values that are used in another way than to ask for a member that is spelled out. */
  readonly otherwise: Set<string>;
  anyAncestor: boolean;
}

type Json = Readonly<Record<string, unknown>>;

export function readingsOf({ json }: Policy): Readings {
  const readings: Readings = {
    ...{ attributes: new Set(), wholes: new Set(), named: [], readsTags: false, anyAncestor: false },
    ...{ tags: new Set(), members: [], otherwise: new Set() },
  };
  noteNames([json.principal, json.resource], readings);
  for (const { body } of json.conditions) {
    noteNames(body, readings);
    noteReads(body, readings);
  }
  return readings;
}

function noteNames(json: unknown, readings: Readings): void {
  const open: unknown[] = [json];
  while (open.length > 0) {
    const value = open.pop();
    if (!isObject(value)) continue;
    const { type, id } = value;
    if (typeof type === 'string' && typeof id === 'string') readings.named.push({ type, id } as Uid);
    open.push(...Object.values(value));
  }
}

function noteReads(expression: unknown, readings: Readings): void {
  const open: unknown[] = [expression];
  while (open.length > 0) {
    const value = open.pop();
    if (!isObject(value)) continue;
    if (value['Var'] === 'context') readings.wholes.add('*');
    noteTag(value['getTag'] ?? value['hasTag'], readings);
    if (!namesAncestors(value)) readings.anyAncestor = true;
    const asked = memberAsked(value);
    if (asked !== undefined) readings.members.push(asked.is);
    const access = asked?.of ?? accessOf(value);
    if (access === undefined) open.push(...Object.values(value));
    else open.push(...noteChain(access, readings));
    const [last] = access?.names.slice(-1) ?? [];
    if (asked === undefined && access?.isValue === true && last !== undefined) readings.otherwise.add(last);
  }
}

function noteTag(read: unknown, readings: Readings): void {
  if (read === undefined) return;
  readings.readsTags = true;
  const name = isObject(read) ? textOf(read['right']) : undefined;
  if (name === undefined) readings.tags = undefined;
  else readings.tags?.add(name);
}

/** `left.a.b.contains("text")`. */
function memberAsked(
  expression: Json,
): { readonly of: Access; readonly is: Readings['members'][number] } | undefined {
  const { contains } = expression;
  if (!isObject(contains) || !isObject(contains['left'])) return undefined;
  const of = accessOf(contains['left']);
  const member = textOf(contains['right']);
  const [name] = of?.names.slice(-1) ?? [];
  return of === undefined || member === undefined || name === undefined
    ? undefined
    : { of, is: { name, member } };
}

function textOf(expression: unknown): string | undefined {
  const value = isObject(expression) ? expression['Value'] : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** Notes `left.a.b` or `left.a has b`; what remains to be walked is the start of it. */
function noteChain(access: Access, readings: Readings): readonly unknown[] {
  const [last] = access.names.slice(-1);
  if (access.isValue && last !== undefined) readings.wholes.add(last);
  let current: Access | undefined = access;
  let start: unknown = undefined;
  while (current !== undefined) {
    for (const name of current.names) readings.attributes.add(name);
    start = current.left;
    current = isObject(start) ? accessOf(start) : undefined;
  }
  return isObject(start) && start['Var'] === 'context' ? [] : [start];
}

interface Access {
  readonly left: unknown;
  readonly names: readonly string[];
  /** False for `has`, which looks at no value. */
  readonly isValue: boolean;
}

function accessOf(expression: Json): Access | undefined {
  const step = expression['.'] ?? expression['has'];
  if (!isObject(step) || !('left' in step) || !('attr' in step)) return undefined;
  const { attr } = step;
  const names = Array.isArray(attr) ? attr.map(String) : [String(attr)];
  return { left: step['left'], names, isValue: '.' in expression };
}

/** False for `in` something that is not spelled out. */
function namesAncestors(expression: Json): boolean {
  const [isIn, is] = [expression['in'], expression['is']];
  if (isObject(isIn) && 'right' in isIn) return isSpelledOut(isIn['right']);
  if (isObject(is) && is['in'] !== undefined) return isSpelledOut(is['in']);
  return true;
}

function isSpelledOut(expression: unknown): boolean {
  if (!isObject(expression)) return false;
  const members = expression['Set'];
  if (Array.isArray(members)) return members.every(isSpelledOut);
  return isObject(expression['Value']) && '__entity' in expression['Value'];
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null;
}
