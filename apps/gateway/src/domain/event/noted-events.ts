import { EpochMs, NotedEvent } from '@uar/contracts';
import { z } from 'zod';

/** What is left of an event that is not known here: while replicas are replaced, a newer one may note what this one cannot read. */
const Unknown = z.looseObject({ at: EpochMs }).transform(({ at }): NotedEvent => {
  return { type: 'gap', at, data_json: JSON.stringify({ dropped: 1 }) };
});
const OneEvent = z.union([NotedEvent, Unknown]);
const read = new WeakMap<object, readonly (NotedEvent | undefined)[]>();

/**
 * The events of a group, each at its index; read once, however many subscribers look at the group. One that is not known here is
 * a `gap`, one of which not even the time can be read is undefined. Never throws.
 */
export function notedEvents(group: {
  readonly events_json?: string | undefined;
}): readonly (NotedEvent | undefined)[] {
  const known = read.get(group);
  if (known !== undefined) return known;
  const events = listOf(group.events_json ?? '[]').map((one) => OneEvent.safeParse(one).data);
  read.set(group, events);
  return events;
}

function listOf(text: string): readonly unknown[] {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}
