import type { Caller } from '@uar/contracts';
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
}

/** The fronts of this gateway. */
export interface Fronts {
  readonly whole: Front;
  readonly runtime: Front;
  ofUpstream(server: string): Front;
}

/** Injection token of the Fronts. */
export const FRONTS = Symbol('uar.gateway.fronts');
