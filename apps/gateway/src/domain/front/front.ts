import type { Caller, Item, ItemListName } from '@uar/contracts';
import type { IncompleteItems } from '../item/item-desk.js';
import type { RunDenial } from '../run/runs.js';

/** `absent`: there is nothing that this caller may know of. */
export type Presence = 'there' | 'absent' | 'unavailable';

export type FrontTools =
  | {
      readonly kind: 'listed';
      /** Definitions as the upstreams sent them, each under the name that clients of the front call it by, in order of name. */
      readonly definitions: readonly string[];
    }
  /** The run serves this caller no more. */
  | { readonly kind: 'denied'; readonly cause: RunDenial }
  | { readonly kind: 'unavailable' };

export type FrontItems =
  | {
      readonly kind: 'listed';
      /** MCP objects as the upstreams sent them, each under the URI or name that clients of the front know it by. */
      readonly definitions: readonly string[];
      readonly incomplete: readonly IncompleteItems[];
    }
  /** The run serves this caller no more. */
  | { readonly kind: 'denied'; readonly cause: RunDenial }
  | { readonly kind: 'unavailable' };

/** What one MCP endpoint shows (DESIGN.md 12), whatever revision of the protocol a client speaks there. */
export interface Front {
  /** Of the endpoint, below the public URL. What was opened at one front is unknown at the others. */
  readonly path: string;
  /** Its tools are those of a reserved server. */
  readonly isReserved?: boolean;
  presence(caller: Caller): Presence | Promise<Presence>;
  /** What the caller could call now: nothing that is unavailable or quarantined (DESIGN.md 5). */
  tools(caller: Caller): Promise<FrontTools>;
  /** The name to propose for what clients of this front call `name`; of no tool at all where they may mean none. */
  publicName(caller: Caller, name: string): string;
  /** What the caller may read or get now, in order of server and then as listed. */
  items(caller: Caller, list: ItemListName): Promise<FrontItems>;
  /**
   * What clients of this front call `id`: a URI, a URI template or a prompt's name, in `ref`s of completions too. Where they may
   * mean nothing, or more than one thing, an item of no upstream, which goes the way of what the caller may not know of.
   */
  item(caller: Caller, kind: Item['kind'], id: string): Promise<Item | { readonly kind: 'unavailable' }>;
  /** Does it show what this upstream offers? */
  shows(server: string): boolean;
  /** A URI of an upstream as clients of this front know it. */
  shownUri(server: string, uri: string): string;
  /** The result of reading `item`, which the client asked for as `uri`: its contents in the form that the client used. */
  shownContents(item: Item, uri: string, resultJson: string): string;
}

/** The fronts of this gateway. */
export interface Fronts {
  readonly whole: Front;
  readonly runtime: Front;
  ofUpstream(server: string): Front;
}

/** Injection token of the Fronts. */
export const FRONTS = Symbol('uar.gateway.fronts');
