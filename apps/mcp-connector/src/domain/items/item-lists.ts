import type { ItemListName } from '@uar/contracts';
import type { WalkOptions } from '../lists/list-walk.js';
import type { Upstream } from '../upstream.js';
import { readItemList, type ReadItems } from './item-list.js';

export interface ItemListsOptions extends Pick<WalkOptions, 'clock' | 'signal'> {
  readonly upstream: Pick<Upstream, 'listPage' | 'offers'>;
}

/** What tells of changes of a list. */
export type ItemKind = 'resources' | 'prompts';

interface Kept {
  readonly reading: Promise<ReadItems>;
  /** Epoch milliseconds. */
  readonly until: number;
}

/** How long a list is taken for the present one where the upstream does not tell of changes. */
const untoldMs = 30_000;

/** The lists of one connection besides that of tools: read when asked for, one reading for all who ask, then kept. */
export class ItemLists {
  private readonly kept = new Map<ItemListName, Kept>();

  constructor(private readonly options: ItemListsOptions) {}

  async read(list: ItemListName): Promise<ReadItems> {
    const { clock, upstream } = this.options;
    const present = this.kept.get(list);
    if (present !== undefined && clock.now() < present.until) return await present.reading;
    const { resourcesChange, promptsChange } = upstream.offers;
    const tells = list === 'prompts' ? promptsChange : resourcesChange;
    const reading = readItemList({ ...this.options, list });
    const kept = { reading, until: tells ? Infinity : clock.now() + untoldMs };
    this.kept.set(list, kept);
    const read = await reading;
    if (read.kind === 'failed' && this.kept.get(list) === kept) this.kept.delete(list);
    return read;
  }

  /** The upstream has others now: also what is being read is not the present list. */
  changed(kind: ItemKind): void {
    this.kept.delete(kind);
    if (kind === 'resources') this.kept.delete('templates');
  }
}
