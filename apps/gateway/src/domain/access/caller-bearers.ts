import type { Principal } from '@uar/contracts';

/** As it came in the Authorization header, without the scheme. */
export interface CallerBearer {
  readonly token: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** Beside principals, never in them: what a caller is travels on the bus and into receipts, the proof of it does not. */
const bearers = new WeakMap<Principal, CallerBearer>();

/** The principal was read from this token. */
export function noteBearer(principal: Principal, token: string): void {
  if (!bearers.has(principal)) bearers.set(principal, { token, expiresAt: principal.expires_at });
}

/** Somebody acts by the same token: an agent for the principal. */
export function shareBearer(from: Principal, to: Principal): void {
  const bearer = bearers.get(from);
  if (bearer !== undefined) bearers.set(to, bearer);
}

/** Undefined: it came without one, or over the bus from another gateway. */
export function bearerOf(principal: Principal): CallerBearer | undefined {
  return bearers.get(principal);
}
