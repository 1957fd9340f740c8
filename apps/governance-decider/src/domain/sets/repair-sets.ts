import type { PolicySource } from './source.js';
import type { PolicySet } from '../policy/policy-set.js';
import type { Rehearsals } from './rehearsals.js';
import { problemsOf, summary, type ActiveSet } from './standing.js';
import { folderSet, platformSet, type WantedSet } from './wanted.js';

/** `refused`: why the folder's set decides on no repair. */
type Repair =
  { readonly kind: 'ready'; readonly active: ActiveSet } | { readonly kind: 'refused'; readonly why: string };

/**
 * The folder's sets of tenants whose API-written one is refused and leaves them without any. They decide who may repair that,
 * and nothing else: the folder is the operator's word, and what the API wrote cannot be asked.
 */
export class RepairSets {
  #repairs: ReadonlyMap<string, Repair> = new Map();

  constructor(private readonly rehearsals: Pick<Rehearsals, 'run'>) {}

  of(tenant: string): PolicySet | undefined {
    const repair = this.#repairs.get(tenant);
    return repair?.kind === 'ready' ? repair.active.set : undefined;
  }

  /** To be published beside those in force. */
  all(): readonly ActiveSet[] {
    return [...this.#repairs.values()].flatMap((one) => (one.kind === 'ready' ? [one.active] : []));
  }

  /** How a tenant without a set is repaired; nothing where that is not for the API to do. */
  wayOut(tenant: string): string | undefined {
    const repair = this.#repairs.get(tenant);
    switch (repair?.kind) {
      case undefined:
        return undefined;
      case 'ready':
        return (
          'no set is in force, so everything is denied. Whoever may manage policies by the set of the folder can replace ' +
          'it: PUT mended texts or an earlier version with if_version "none", or DELETE with it to go back to the folder'
        );
      case 'refused':
        return (
          'no set is in force, so everything is denied, and nobody may repair it by API, because the set of the folder ' +
          `decides on that and is refused itself: mend the folder first. ${repair.why}`
        );
    }
  }

  /** Tries the folder's sets of these tenants, and forgets those of all others. */
  async review(source: PolicySource, stranded: readonly WantedSet[]): Promise<void> {
    const wanted = stranded.map(({ tenant }) => folderSet(source, tenant));
    if (wanted.length === 0) {
      this.#repairs = new Map();
      return;
    }
    const unlinted = new Set(wanted.map(({ tenant }) => tenant));
    const tried = await this.rehearsals.run(platformSet(source), wanted, { keep: true, unlinted });
    const found = wanted.map((one): [string, Repair] => {
      const result = tried.kind === 'done' ? tried.value.get(one.tenant) : undefined;
      if (result?.kind === 'passed')
        return [one.tenant, { kind: 'ready', active: { set: result.set, wanted: one, warnings: [] } }];
      const failure = tried.kind === 'failed' ? tried.message : undefined;
      return [one.tenant, { kind: 'refused', why: summary(problemsOf(result, failure)) }];
    });
    this.#repairs = new Map(found);
  }
}
