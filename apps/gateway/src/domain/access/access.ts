import type { ActionQuestion, Caller } from '@uar/contracts';
import type { Unavailable } from '../call/ports.js';

export type Allowance = { readonly kind: 'allowed' } | { readonly kind: 'denied' } | Unavailable;

/** May the caller do something that is not a call? One Cedar question each. */
export interface Access {
  may(caller: Caller, question: ActionQuestion): Promise<Allowance>;
}

/** Injection token of the Access. */
export const ACCESS = Symbol('uar.gateway.access');
