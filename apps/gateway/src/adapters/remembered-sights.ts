import type { Bus } from '@uar/bus';
import { policiesChanged, type Caller, type Item } from '@uar/contracts';
import { LRUCache } from 'lru-cache';
import type { Unavailable } from '../domain/call/ports.js';
import type { ItemSights } from '../domain/item/ports.js';
import type { BusPdp } from './bus/pdp.js';
import { CallerKeys } from './caller-keys.js';

interface Known {
  readonly tenant: string;
  readonly until: number;
  readonly readable: Map<string, boolean>;
}

const mostCallers = 200;
/** Of one caller. */
const mostItems = 20_000;
/** Policies may read the time: an item is asked about again at the latest after this long. */
const freshMs = 30_000;

/** What callers may read or get, asked of the PDP once per item, and again when policy changed. */
export class RememberedSights implements ItemSights {
  private readonly known = new LRUCache<string, Known>({ max: mostCallers });
  private readonly callers = new CallerKeys();
  private readonly endListening: () => void;

  constructor(
    private readonly parts: { readonly bus: Bus; readonly pdp: BusPdp; readonly now: () => number },
  ) {
    this.endListening = parts.bus.listen(policiesChanged, ({ tenant }) => this.forget(tenant));
  }

  async readable(caller: Caller, items: readonly Item[]): Promise<readonly boolean[] | Unavailable> {
    const known = this.of(caller);
    const unasked = new Map(
      items.map((item) => [keyOf(item), item] as const).filter(([key]) => !known.readable.has(key)),
    );
    const questions = [...unasked.values()].map((item) => ({ kind: 'item', item }) as const);
    const answered = await this.parts.pdp.mayEach(caller, questions);
    if (answered.kind === 'unavailable') return answered;
    const fresh = new Map([...unasked.keys()].map((key, index) => [key, answered.allowed[index] === true]));
    const words = items.map(keyOf).map((key) => fresh.get(key) ?? known.readable.get(key) ?? false);
    if (known.readable.size + fresh.size > mostItems) known.readable.clear();
    for (const [key, word] of fresh) known.readable.set(key, word);
    return words;
  }

  close(): void {
    this.endListening();
  }

  private of(caller: Caller): Known {
    const key = this.callers.keyOf(caller);
    const now = this.parts.now();
    const known = this.known.get(key);
    if (known !== undefined && known.until > now) return known;
    const made = { tenant: caller.principal.tenant, until: now + freshMs, readable: new Map() };
    this.known.set(key, made);
    return made;
  }

  /** What is being asked meanwhile is stored where nobody looks any more. */
  private forget(tenant: string): void {
    for (const [key, known] of this.known.entries()) if (known.tenant === tenant) this.known.delete(key);
  }
}

function keyOf({ kind, server, id }: Item): string {
  return JSON.stringify([kind, server, id]);
}
