import { isName, ownMember, type JsonObject } from './claim-values.js';
import { refuse, type Refusal } from './refusal.js';

export interface ClaimRules {
  /** Expected `iss`, compared byte for byte; undefined: not checked. */
  readonly issuer: string | undefined;
  /** Accepted `aud`; undefined: not checked. */
  readonly audiences: readonly string[] | undefined;
  readonly acceptsDevelopmentTokens: boolean;
}

/** The claims that hold, before any signature is looked at. Times in epoch milliseconds. */
export interface CheckedClaims {
  readonly kind: 'checked';
  readonly subject: string;
  readonly issuer: string;
  readonly audiences: readonly string[];
  readonly expiresAt: number;
}

/** Tolerated difference between the issuer's clock and ours. */
const skewMs = 30_000;
/** 9999-12-31T23:59:59Z in seconds; later is a mistake, and no date. */
const lastSecond = 253_402_300_799;

export function checkClaims(claims: JsonObject, rules: ClaimRules, now: number): CheckedClaims | Refusal {
  const subject = ownMember(claims, 'sub');
  if (!isName(subject)) return refuse('subject_refused');
  const times = checkTimes(claims, now);
  if (times.kind === 'invalid') return times;
  const issuer = ownMember(claims, 'iss');
  if (issuer !== undefined && !isName(issuer, 2048)) return refuse('issuer_refused');
  if (rules.issuer !== undefined && issuer !== rules.issuer) return refuse('issuer_refused');
  const audiences = audienceList(ownMember(claims, 'aud'));
  if (audiences === undefined) return refuse('audience_refused');
  const development = ownMember(claims, 'dev');
  if (development !== undefined && development !== false && !rules.acceptsDevelopmentTokens)
    return refuse('development_token');
  return { kind: 'checked', subject, issuer: issuer ?? '', audiences, expiresAt: times.expiresAt };
}

/** Whether a token for `audiences` may be used where `extra` (the resource URL of an endpoint, RFC 8707) is accepted too. */
export function audienceHolds(
  audiences: readonly string[],
  rules: ClaimRules,
  extra: string | undefined,
): boolean {
  if (rules.audiences === undefined) return true;
  return audiences.some((audience) => audience === extra || rules.audiences?.includes(audience) === true);
}

function audienceList(value: unknown): readonly string[] | undefined {
  if (value === undefined) return [];
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.length <= 64 && list.every((item) => isName(item, 2048)) ? list : undefined;
}

function checkTimes(
  claims: JsonObject,
  now: number,
): { readonly kind: 'times'; readonly expiresAt: number } | Refusal {
  const exp = ownMember(claims, 'exp');
  const notBefore = ownMember(claims, 'nbf');
  const issuedAt = ownMember(claims, 'iat');
  if (!isSecond(exp)) return refuse('time_refused');
  for (const start of [notBefore, issuedAt]) {
    if (start === undefined) continue;
    if (!isSecond(start)) return refuse('time_refused');
    if (start * 1000 > now + skewMs) return refuse('not_yet_valid');
  }
  const expiresAt = exp * 1000;
  return expiresAt + skewMs <= now ? refuse('expired') : { kind: 'times', expiresAt };
}

function isSecond(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= lastSecond;
}
