import { groupBytes, mostGrouped, type EventGroup } from '@uar/contracts';
import { placeKey, type EventPlace, type Waiting } from './queue.js';

interface Open {
  readonly place: EventPlace;
  readonly texts: string[];
  length: number;
}

/** The events of each run together, in their order; a long group goes on in another one. */
export function grouped(waiting: readonly Waiting[]): EventGroup[] {
  const groups: Open[] = [];
  const open = new Map<string, Open>();
  for (const { place, event } of waiting) {
    const text = JSON.stringify(event);
    const key = placeKey(place);
    const known = open.get(key);
    const isRoom =
      known !== undefined && known.texts.length < mostGrouped && known.length + text.length <= groupBytes;
    const group = isRoom ? known : { place, texts: [], length: 0 };
    if (!isRoom) {
      groups.push(group);
      open.set(key, group);
    }
    group.texts.push(text);
    group.length += text.length;
  }
  return groups.map(({ place: { tenant, run }, texts }) => ({
    tenant,
    ...(run === undefined ? {} : { run }),
    count: texts.length,
    events_json: `[${texts.join(',')}]`,
  }));
}
