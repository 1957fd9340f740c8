import type { Uid } from '../cedar/cedar.js';
import { readsCall, readsTime, type Policy, type PolicySet } from './policy-set.js';
import { coversAction, type ToolAction } from './scope.js';

/**
 * All that decides one action: the policies whose scope covers it, and what of a question they can tell apart. The rest of
 * a question cannot change the answer, so an engine need not read it (GOVERNANCE.md 8).
 */
export interface Slice {
  readonly action: ToolAction;
  /** Whether these are all policies of the action, or those that do not, or do, read the call's arguments or the clock. */
  readonly part: SlicePart;
  /** No policy of it reads an argument, a fact of one, or the clock: its answer holds for the next call too. */
  readonly isSteady: boolean;
  readonly policies: readonly string[];
  /** Names of attributes that some condition reads or asks for, of whatever. */
  readonly attributes: readonly string[];
  /** Those among them whose value is used as it is, not only looked into; `*` is the context itself. */
  readonly wholes: readonly string[];
  readonly readsTags: boolean;
  /** Entities that are named. */
  readonly named: readonly Uid[];
  /** Something is asked to be `in` what no policy names: every ancestor counts. */
  readonly anyAncestor: boolean;
}

export type SlicePart = 'whole' | 'steady' | 'momentary';

const slicedActions: readonly ToolAction[] = ['discoverTool', 'callTool', 'callToolUnattended'];

const remembered = new WeakMap<PolicySet, readonly Slice[]>();

/** One for each question that every call asks. Found once per set: sets do not change. */
export function slicesOf(set: PolicySet): readonly Slice[] {
  const slices = remembered.get(set) ?? sliced(set);
  remembered.set(set, slices);
  return slices;
}

/** What has to be asked about an action, so that what is steady need not be asked twice: the whole, or its two parts. */
export function partsOf(set: PolicySet, action: ToolAction): readonly Slice[] {
  const slices = slicesOf(set).filter((slice) => slice.action === action);
  return slices.length === 1 ? slices : slices.filter(({ part }) => part !== 'whole');
}

function sliced(set: PolicySet): readonly Slice[] {
  const read = new Map(set.policies.map((policy) => [policy, readingsOf(policy)]));
  return slicedActions.flatMap((action) => {
    const policies = set.policies.filter(({ json }) => coversAction(json.action, action));
    const momentary = policies.filter((policy) => isMomentary(policy, action));
    const steady = policies.filter((policy) => !isMomentary(policy, action));
    const of = (part: SlicePart, some: readonly Policy[]) => sliceOf({ action, part }, some, read);
    const whole = of('whole', policies);
    return momentary.length === 0 || steady.length === 0
      ? whole
      : [whole, of('steady', steady), of('momentary', momentary)];
  });
}

/** A tool is looked at without arguments, so only the clock can change the answer. */
function isMomentary(policy: Policy, action: ToolAction): boolean {
  return action === 'discoverTool' ? readsTime([policy]) : readsCall(policy);
}

function sliceOf(
  of: Pick<Slice, 'action' | 'part'>,
  policies: readonly Policy[],
  read: ReadonlyMap<Policy, Readings>,
): Slice {
  const readings = policies.flatMap((policy) => read.get(policy) ?? []);
  const named = new Map(
    readings.flatMap((found) => found.named).map((uid) => [`${uid.type} ${uid.id}`, uid]),
  );
  return {
    ...of,
    isSteady: !policies.some((policy) => isMomentary(policy, of.action)),
    policies: policies.map(({ id }) => id),
    attributes: [...new Set(readings.flatMap((found) => [...found.attributes]))].toSorted(),
    wholes: [...new Set(readings.flatMap((found) => [...found.wholes]))].toSorted(),
    readsTags: readings.some((found) => found.readsTags),
    named: [...named.values()],
    anyAncestor: readings.some((found) => found.anyAncestor),
  };
}

interface Readings {
  readonly attributes: Set<string>;
  readonly wholes: Set<string>;
  readonly named: Uid[];
  readsTags: boolean;
  anyAncestor: boolean;
}

type Json = Readonly<Record<string, unknown>>;

function readingsOf({ json }: Policy): Readings {
  const readings: Readings = {
    ...{ attributes: new Set(), wholes: new Set(), named: [], readsTags: false, anyAncestor: false },
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
    if ('getTag' in value || 'hasTag' in value) readings.readsTags = true;
    if (!namesAncestors(value)) readings.anyAncestor = true;
    const access = accessOf(value);
    if (access === undefined) open.push(...Object.values(value));
    else open.push(...noteChain(access, readings));
  }
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
  const { attr } = step as { attr: unknown };
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
