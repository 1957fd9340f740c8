import type { Item } from '@uar/contracts';
import type { Uid } from './cedar.js';

/**
 * Entity ids are `<tenant>/<name>` or `<tenant>/<server>/<name>`. A tenant has no slash; a server's slashes are escaped;
 * so the last part may keep its own, and no two names share an id. Principals keep their ids as receipts write them
 * (`principalId` of @uar/contracts), which is why text that is not well-formed Unicode is refused there, not escaped.
 */
export function tenantUid(tenant: string): Uid {
  return { type: 'UAR::Tenant', id: tenant };
}

export function userUid(tenant: string, subject: string): Uid {
  return { type: 'UAR::User', id: `${tenant}/${subject}` };
}

export function agentUid(tenant: string, agent: string): Uid {
  return { type: 'UAR::Agent', id: `${tenant}/${agent}` };
}

export function roleUid(tenant: string, role: string): Uid {
  return { type: 'UAR::Role', id: `${tenant}/${role}` };
}

export function groupUid(tenant: string, group: string): Uid {
  return { type: 'UAR::Group', id: `${tenant}/${group}` };
}

export function serverUid(tenant: string, server: string): Uid {
  return { type: 'UAR::Server', id: `${tenant}/${part(server)}` };
}

export function toolUid(tenant: string, server: string, rawName: string): Uid {
  return { type: 'UAR::Tool', id: `${tenant}/${part(server)}/${lastPart(rawName)}` };
}

/** Resources by their URI (or URI template), prompts by their name. */
export function itemUid(tenant: string, { kind, server, id }: Item): Uid {
  const type = kind === 'resource' ? 'UAR::Resource' : 'UAR::Prompt';
  return { type, id: `${tenant}/${part(server)}/${lastPart(id)}` };
}

/** `%` introduces an escape, so it is one itself; code units outside any character become `%uXXXX`. */
function lastPart(raw: string): string {
  if (raw.isWellFormed() && !raw.includes('%')) return raw;
  return raw.replace(/%|\p{Surrogate}/gu, escaped);
}

function part(raw: string): string {
  return lastPart(raw).replaceAll('/', '%2F');
}

function escaped(unit: string): string {
  return unit === '%' ? '%25' : `%u${unit.charCodeAt(0).toString(16).toUpperCase()}`;
}
