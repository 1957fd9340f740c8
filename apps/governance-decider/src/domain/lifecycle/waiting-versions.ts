import type { TenantId } from '@uar/contracts';

export interface WaitingVersion<T> {
  readonly tenant: TenantId;
  readonly version: string;
  readonly entry: T;
}

/** Versions that are not recorded yet: those of one tenant in their order, tenants in turn, and no more than `most`. */
export class WaitingVersions<T> {
  /** Numbered by when they came; their order is whose turn it is. */
  #all: readonly { readonly number: number; readonly waiting: WaitingVersion<T> }[] = [];
  #added = 0;
  #dropped = 0;

  constructor(private readonly most: number) {}

  get size(): number {
    return this.#all.length;
  }

  /** How many were ever dropped. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Gives what was dropped for it: the one that waits longest. A version that waits already comes last now. */
  add(added: WaitingVersion<T>): WaitingVersion<T> | undefined {
    const others = this.#all.filter(
      ({ waiting }) => waiting.tenant !== added.tenant || waiting.version !== added.version,
    );
    this.#added += 1;
    this.#all = [...others, { number: this.#added, waiting: added }];
    if (this.#all.length <= this.most) return undefined;
    const oldest = this.#all.reduce((one, other) => (other.number < one.number ? other : one)).waiting;
    this.#dropped += 1;
    this.remove(oldest);
    return oldest;
  }

  /** Whose turn it is, first to last. */
  tenants(): readonly TenantId[] {
    return [...new Set(this.#all.map(({ waiting }) => waiting.tenant))];
  }

  first(tenant: TenantId): WaitingVersion<T> | undefined {
    return this.#all.find(({ waiting }) => waiting.tenant === tenant)?.waiting;
  }

  /** This very one: the same version, added again meanwhile, stays. */
  remove(removed: WaitingVersion<T>): void {
    this.#all = this.#all.filter(({ waiting }) => waiting !== removed);
  }

  /** The other tenants go first. */
  toBack(tenant: TenantId): void {
    const isOf = ({ waiting }: { readonly waiting: WaitingVersion<T> }) => waiting.tenant === tenant;
    this.#all = [...this.#all.filter((one) => !isOf(one)), ...this.#all.filter(isOf)];
  }
}
