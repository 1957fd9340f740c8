import type { ActionQuestion, Item } from '@uar/contracts';
import { itemUid } from '../../cedar/entity-ids.js';
import type { PolicySet } from '../../policy/policy-set.js';

export interface AskedOnce {
  readonly asked: readonly ActionQuestion[];
  /** Of each question, the place in `asked` of the one whose answer is its own. */
  readonly answers: readonly number[];
}

/** Of items that no policy can tell apart one is asked about: those of one kind and server, but for those that a policy names. */
export function askedOnce(set: PolicySet, tenant: string, questions: readonly ActionQuestion[]): AskedOnce {
  const asked: ActionQuestion[] = [];
  const places = new Map<string, number>();
  const answers = questions.map((question) => {
    const alike = question.kind === 'item' ? classOf(set, tenant, question.item) : undefined;
    const known = alike === undefined ? undefined : places.get(alike);
    if (known !== undefined) return known;
    if (alike !== undefined) places.set(alike, asked.length);
    return asked.push(question) - 1;
  });
  return { asked, answers };
}

/** Undefined where it is like no other. */
function classOf({ namedItems }: PolicySet, tenant: string, item: Item): string | undefined {
  if (namedItems.size > 0 && namedItems.has(itemUid(tenant, item).id)) return undefined;
  return JSON.stringify([item.kind, item.server]);
}
