import type { Caller, PrincipalSpec } from '@uar/contracts';
import type { Identity } from '../access/identity.js';

export type SpokenFor =
  { readonly kind: 'caller'; readonly caller: Caller } | { readonly kind: 'other_tenant' };

/** As if that principal came the way the asking caller came: same tenant, same address, at the HTTP API. */
export function callerOf(spec: PrincipalSpec, asking: Caller, identity: Pick<Identity, 'caller'>): SpokenFor {
  const { tenant, issuer } = asking.principal;
  if (spec.tenant !== undefined && spec.tenant !== tenant) return { kind: 'other_tenant' };
  const principal: Caller['principal'] = {
    ...{ issuer, subject: spec.sub, tenant, kind: 'user' },
    roles: spec.roles ?? [],
    groups: spec.groups ?? [],
    ...(spec.agent_id === undefined ? {} : { agent_id: spec.agent_id }),
    ...{ scopes: [], mfa: false, claims: {}, expires_at: Number.MAX_SAFE_INTEGER },
  };
  return { kind: 'caller', caller: identity.caller(principal, 'http', asking.ip) };
}

/** A token that is good now is taken as good at whatever time is asked about. */
export function unexpired(caller: Caller): Caller {
  return { ...caller, principal: { ...caller.principal, expires_at: Number.MAX_SAFE_INTEGER } };
}
