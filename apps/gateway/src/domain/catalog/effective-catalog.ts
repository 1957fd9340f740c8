import type { Caller, CatalogEntry, RunId } from '@uar/contracts';
import type { RunDenial } from '../run/runs.js';

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

export type Listed =
  | EffectiveList
  /** The run serves this caller no more. */
  | { readonly kind: 'denied'; readonly cause: RunDenial }
  | { readonly kind: 'unavailable' };

/** Whose lists may have become other ones: of one run, of a tenant; without either, all of them. */
export interface ListChange {
  readonly tenant?: string;
  readonly runId?: RunId;
}

export interface EffectiveCatalog {
  /** What the caller may discover within its run, or within the one it names. */
  list(caller: Caller, runId?: string): Listed | Promise<Listed>;
  /** What the caller may discover, whatever its run leaves of it. */
  discoverable(caller: Caller): Listed | Promise<Listed>;
  /** Tells when catalog, policy or scopes changed. */
  onChange(listener: (change: ListChange) => void): () => void;
}

/** Injection token of the EffectiveCatalog. */
export const EFFECTIVE_CATALOG = Symbol('uar.gateway.effective-catalog');
