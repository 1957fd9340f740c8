import type { Caller, CatalogEntry } from '@uar/contracts';

export interface EffectiveEntry {
  readonly entry: CatalogEntry;
  /** Would a call with empty arguments ask a human? */
  readonly approval: 'never' | 'maybe' | 'always';
}

/** A server whose tools are missing or not whole. */
export interface IncompleteServer {
  readonly server: string;
  readonly state: string;
  readonly reason: string;
}

/** What a caller may discover now, in order of name. The same object as long as nothing changed. */
export interface EffectiveList {
  readonly kind: 'listed';
  readonly entries: readonly EffectiveEntry[];
  readonly byName: ReadonlyMap<string, EffectiveEntry>;
  readonly incomplete: readonly IncompleteServer[];
  readonly catalogVersion: string;
  /** Changes with everything the list shows; seed of ETags. */
  readonly digest: string;
}

export type Listed = EffectiveList | { readonly kind: 'unavailable' };

export interface EffectiveCatalog {
  list(caller: Caller): Listed | Promise<Listed>;
  /** Tells when a list may have become another one (catalog or policy changed) for this tenant; undefined = any tenant. */
  onChange(listener: (tenant: string | undefined) => void): () => void;
}

/** Injection token of the EffectiveCatalog. */
export const EFFECTIVE_CATALOG = Symbol('uar.gateway.effective-catalog');
