import type { Principal } from '@uar/contracts';

/** Who wrote a text, as separation of duties asks for it later: no roles, claims or scopes of that day are kept. */
export function authorOf({ issuer, subject, tenant, kind, agent_id, expires_at }: Principal): Principal {
  return {
    ...{ issuer, subject, tenant, kind, expires_at },
    ...{ roles: [], groups: [], scopes: [], mfa: false, claims: {} },
    ...(agent_id === undefined ? {} : { agent_id }),
  };
}
