import type { AgentBody, Principal, Scope } from '@uar/contracts';
import type { Unavailable } from '../call/ports.js';
import type { HeldSetting } from '../run/ports.js';

export type ScopeWritten =
  | { readonly kind: 'written'; readonly created: boolean }
  | { readonly kind: 'not_found' }
  /** Others wrote the same setting again and again meanwhile. */
  | { readonly kind: 'contended' }
  | Unavailable;

/** Registered agents and the global scope of each tenant: read from what is held, written durably with a receipt. */
export interface AgentBook {
  readonly ready: boolean;
  /** By id. */
  agents(tenant: string): ReadonlyMap<string, HeldSetting<AgentBody>>;
  policy(tenant: string): HeldSetting<Scope>;
  /** The last one to write wins. */
  putAgent(principal: Principal, id: string, body: AgentBody): Promise<ScopeWritten>;
  removeAgent(principal: Principal, id: string): Promise<ScopeWritten>;
  putPolicy(principal: Principal, scope: Scope): Promise<ScopeWritten>;
}

/** Injection token of the AgentBook. */
export const AGENT_BOOK = Symbol('uar.gateway.agent-book');
