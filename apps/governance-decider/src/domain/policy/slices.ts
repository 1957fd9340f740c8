import type { Uid } from '../cedar/cedar.js';
import { readingsOf, type Readings } from './policy-readings.js';
import { readsCall, readsTime, type Policy, type PolicySet } from './policy-set.js';
import { coversAction, type ApprovalAction, type ToolAction } from './scope.js';

/**
 * All that decides one action: the policies whose scope covers it, and what of a question they can tell apart. The rest of
 * a question cannot change the answer, so an engine need not read it (GOVERNANCE.md 8).
 */
export interface Slice {
  readonly action: SlicedAction;
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
  /** Names of the tags that are read; absent: some name is not spelled out. */
  readonly tags?: readonly string[];
  /** What is asked to be in sets, by their name; a set that is used in any other way is not named here. */
  readonly members: Readonly<Record<string, readonly string[]>>;
  /** Entities that are named. */
  readonly named: readonly Uid[];
  /** Something is asked to be `in` what no policy names: every ancestor counts. */
  readonly anyAncestor: boolean;
}

export type SlicePart = 'whole' | 'steady' | 'momentary';
type SlicedAction = ToolAction | ApprovalAction;

/** Asked again and again at other times, or about other arguments of the same tool. */
const partedActions: readonly SlicedAction[] = ['discoverTool', 'callTool', 'callToolUnattended', 'approve'];
const wholeActions: readonly SlicedAction[] = ['callToolApproved', 'viewApproval'];

const remembered = new WeakMap<PolicySet, readonly Slice[]>();

/** One for each question that calls and approvals ask. Found once per set: sets do not change. */
export function slicesOf(set: PolicySet): readonly Slice[] {
  const slices = remembered.get(set) ?? sliced(set);
  remembered.set(set, slices);
  return slices;
}

/** What has to be asked about an action, so that what is steady need not be asked twice: the whole, or its two parts. None without slices. */
export function partsOf(set: PolicySet, action: string): readonly Slice[] {
  const slices = slicesOf(set).filter((slice) => slice.action === action);
  return slices.length === 1 ? slices : slices.filter(({ part }) => part !== 'whole');
}

function sliced(set: PolicySet): readonly Slice[] {
  const read = new Map(set.policies.map((policy) => [policy, readingsOf(policy)]));
  return [...partedActions, ...wholeActions].flatMap((action) => {
    const policies = set.policies.filter(({ json }) => coversAction(json.action, action));
    const momentary = policies.filter((policy) => isMomentary(policy, action));
    const steady = policies.filter((policy) => !isMomentary(policy, action));
    const of = (part: SlicePart, some: readonly Policy[]) => sliceOf({ action, part }, some, read);
    const whole = of('whole', policies);
    return momentary.length === 0 || steady.length === 0 || !partedActions.includes(action)
      ? whole
      : [whole, of('steady', steady), of('momentary', momentary)];
  });
}

/** A tool is looked at without arguments, so only the clock can change the answer. */
function isMomentary(policy: Policy, action: SlicedAction): boolean {
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
    ...(readings.every((found) => found.tags !== undefined)
      ? { tags: [...new Set(readings.flatMap((found) => [...(found.tags ?? [])]))].toSorted() }
      : {}),
    members: membersOf(readings),
    named: [...named.values()],
    anyAncestor: readings.some((found) => found.anyAncestor),
  };
}

function membersOf(readings: readonly Readings[]): Readonly<Record<string, readonly string[]>> {
  const members = new Map<string, Set<string>>();
  for (const { name, member } of readings.flatMap((found) => found.members))
    members.set(name, (members.get(name) ?? new Set()).add(member));
  for (const name of readings.flatMap((found) => [...found.otherwise])) members.delete(name);
  return Object.fromEntries([...members].map(([name, asked]) => [name, [...asked].toSorted()]));
}
