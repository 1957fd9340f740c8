import { Capability, Principal, TenantId } from '@uar/contracts';
import type { UarConfig } from '@uar/config';
import { findClaim, isName, isPrintable, nameList, ownMember, type JsonObject } from './claim-values.js';
import type { CheckedClaims } from './claim-rules.js';
import { refuse, type Refusal, type RefusalCause } from './refusal.js';

export interface PrincipalRules {
  /** Configured claim names. */
  readonly names: UarConfig['security']['claims'];
  /** Tenant of a token without the tenant claim; undefined: such a token is refused. */
  readonly defaultTenant: string | undefined;
}

const maxTags = 32;
const maxTagLength = 1024;
const strongMethods = ['mfa', 'otp', 'hwk'];
const registered = ['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti', 'scope', 'scp', 'act', 'dev'];
const scopeToken = /^[\x21\x23-\x5b\x5d-\x7e]+$/;
const meaningless = ['__proto__', 'constructor', 'prototype'];

/** What verified claims say of their bearer. Wrong types are refused, never repaired: a half-read principal is another one. */
export function principalOf(
  claims: JsonObject,
  checked: CheckedClaims,
  rules: PrincipalRules,
): { readonly kind: 'principal'; readonly principal: Principal } | Refusal {
  const tenant = tenantOf(claims, rules);
  if (tenant === undefined) return refuse('tenant_refused');
  const agent = findClaim(claims, rules.names.agent);
  if (agent.kind === 'broken' || (agent.kind === 'found' && !isName(agent.value)))
    return refuse('agent_refused');
  const roles = namesOf(claims, rules.names.roles);
  if (roles === undefined) return refuse('roles_refused');
  const groups = namesOf(claims, rules.names.groups);
  if (groups === undefined) return refuse('groups_refused');
  const scopes = scopesOf(claims);
  if (scopes === undefined) return refuse('scopes_refused');
  const capabilities = capabilitiesOf(claims, rules.names.capabilities);
  if (capabilities.kind === 'invalid') return capabilities;
  return parsed(
    {
      issuer: checked.issuer,
      subject: checked.subject,
      tenant,
      kind: 'user',
      roles,
      groups,
      ...(agent.kind === 'found' ? { agent_id: agent.value } : {}),
      scopes,
      ...(capabilities.list === undefined ? {} : { capabilities: capabilities.list }),
      mfa: hasSecondFactor(claims, rules.names.mfa),
      claims: tagsOf(claims, rules),
      expires_at: checked.expiresAt,
    },
    'malformed',
  );
}

function parsed(
  value: unknown,
  cause: RefusalCause,
): { readonly kind: 'principal'; readonly principal: Principal } | Refusal {
  const result = Principal.safeParse(value);
  return result.success ? { kind: 'principal', principal: result.data } : refuse(cause);
}

function tenantOf(claims: JsonObject, rules: PrincipalRules): TenantId | undefined {
  const claim = findClaim(claims, rules.names.tenant);
  if (claim.kind === 'broken') return undefined;
  return TenantId.safeParse(claim.kind === 'found' ? claim.value : rules.defaultTenant).data;
}

function namesOf(claims: JsonObject, name: string): readonly string[] | undefined {
  const claim = findClaim(claims, name);
  if (claim.kind === 'absent') return [];
  return claim.kind === 'found' ? nameList(claim.value) : undefined;
}

/**
 * Scopes of `scope` (RFC 9068: one text) or `scp` (text or list); a token with both says the same in both. A claim that is
 * there and names nothing is refused (RFC 6749 3.3 has no empty scope), so that no scopes always means no scope claim.
 */
function scopesOf(claims: JsonObject): readonly string[] | undefined {
  const said = [ownMember(claims, 'scope'), ownMember(claims, 'scp')].filter((it) => it !== undefined);
  if (said.length === 0) return [];
  const lists = said.map((claim) => scopeList(claim) ?? []);
  const [first = []] = lists;
  const isSame = lists.every(
    (list) => list.length === first.length && first.every((it) => list.includes(it)),
  );
  return isSame && first.length > 0 ? first : undefined;
}

/** Each once, in the characters of RFC 6749 3.3: a list must not hide two scopes in one of its texts. */
function scopeList(claim: unknown): readonly string[] | undefined {
  const list = typeof claim === 'string' ? claim.split(' ').filter((word) => word !== '') : claim;
  const names = nameList(list);
  if (names === undefined || names.length === 0 || new Set(names).size < names.length) return undefined;
  return names.every((name) => scopeToken.test(name)) ? names : undefined;
}

/** The claim only narrows: words that name no capability give none. */
function capabilitiesOf(
  claims: JsonObject,
  name: string,
): { readonly kind: 'narrowed'; readonly list: readonly Capability[] | undefined } | Refusal {
  const claim = findClaim(claims, name);
  if (claim.kind === 'absent') return { kind: 'narrowed', list: undefined };
  const names = claim.kind === 'found' ? nameList(claim.value) : undefined;
  if (names === undefined) return refuse('capabilities_refused');
  return { kind: 'narrowed', list: Capability.options.filter((capability) => names.includes(capability)) };
}

/** RFC 8176: a method that needs a second factor or a hardware key. Any other shape of the claim proves nothing. */
function hasSecondFactor(claims: JsonObject, name: string): boolean {
  const claim = findClaim(claims, name);
  if (claim.kind !== 'found') return false;
  return nameList(claim.value)?.some((method) => strongMethods.includes(method)) === true;
}

/** Further string claims, as attributes for policies. Longer, unprintable or later ones are left out. */
function tagsOf(claims: JsonObject, rules: PrincipalRules): Record<string, string> {
  const spoken = new Set([...registered, ...meaningless, ...Object.values(rules.names)]);
  const tags: [string, string][] = [];
  for (const [name, value] of Object.entries(claims)) {
    if (tags.length === maxTags) break;
    if (spoken.has(name) || !isName(name, 128) || typeof value !== 'string') continue;
    if (isPrintable(value, maxTagLength)) tags.push([name, value]);
  }
  return Object.fromEntries(tags);
}
