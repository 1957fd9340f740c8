import { z } from 'zod';

/** What may be wrong, in words that name no tenant, policy or path: anybody may read them. */
export const ReadinessCode = z.enum([
  'stopping',
  'bus_unusable',
  'catalog_unread',
  'scopes_unread',
  'decider_unreachable',
  'decider_not_deciding',
  'no_policies_loaded',
  'ledger_unreachable',
  'ledger_read_only',
  'receipts_unwritten',
  'token_keys_missing',
  'tenant_policies_missing',
  'tenant_policies_refused',
  'tenant_settings_unreadable',
]);
export type ReadinessCode = z.output<typeof ReadinessCode>;

export interface ReadinessProblem {
  readonly code: ReadinessCode;
  /** One clause, for operators: it may name tenants and policies. */
  readonly detail: string;
}

export interface ReadinessView {
  /** Calls can be served; one tenant that cannot be is no reason to send everybody away. */
  readonly ready: boolean;
  readonly governance: 'on' | 'off';
  /** What keeps every call from being served, then what is wrong besides. */
  readonly problems: readonly ReadinessProblem[];
}

/** Is everything there that a call needs? */
export interface GatewayReadiness {
  view(): Promise<ReadinessView>;
}

/** Injection token of the GatewayReadiness. */
export const READINESS = Symbol('uar.gateway.readiness');
