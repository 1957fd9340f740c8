import type { WrittenPolicies } from '@uar/contracts';

/** A set that the API wrote, as the ledger keeps it. `unreadable`: it has one, but nobody can tell what it says. */
export type Written =
  | { readonly kind: 'written'; readonly revision: number; readonly value: WrittenPolicies }
  | { readonly kind: 'unreadable'; readonly revision: number };

/** The sets that were written by API, of all tenants. */
export interface WrittenSets {
  /** False until the ledger has answered once: whether a tenant has such a set is not known before. */
  readonly ready: boolean;
  of(tenant: string): Written | undefined;
  tenants(): Iterable<string>;
}

/** Nobody writes sets but the folder. */
export const folderAlone: WrittenSets = { ready: true, of: () => undefined, tenants: () => [] };
