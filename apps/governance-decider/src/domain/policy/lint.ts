import { platformGuards } from './platform-guards.js';
import type { PolicyJson } from './policy-json.js';
import { textProblem } from './text-guard.js';

/** One thing that keeps a set from being loaded. `policy` is absent when it concerns the whole set. */
export interface PolicyProblem {
  readonly policy?: string;
  readonly message: string;
}

const knownAnnotations = ['id', 'reason'];
const reservedActions = ['callToolApproved', 'invoke'];
const policyId = /^[pt]\/[a-z0-9][a-z0-9-]{0,63}$/;

/** Before any parser: names, sizes, nesting, and that no platform guard is missing. */
export function problemsOfTexts(policies: Readonly<Record<string, string>>): readonly PolicyProblem[] {
  const missing = platformGuards.filter((id) => !Object.hasOwn(policies, id));
  const ofTexts = Object.entries(policies).flatMap(([policy, text]) => {
    if (!policyId.test(policy)) return [{ policy, message: 'the file name is no policy id' }];
    const message = textProblem(text);
    return message === undefined ? [] : [{ policy, message }];
  });
  return [
    ...missing.map((policy) => ({ policy, message: 'a guard of the platform is missing' })),
    ...ofTexts,
  ];
}

/** What Cedar accepts and we do not (GOVERNANCE.md 4). */
export function problemsOfPolicy(policy: string, json: PolicyJson): readonly PolicyProblem[] {
  const annotations = json.annotations ?? {};
  const messages = [
    ...Object.keys(annotations)
      .filter((name) => !knownAnnotations.includes(name))
      .map((name) => `unknown annotation @${name}`),
    ...(annotations['id'] !== undefined && annotations['id'] !== policy
      ? ['@id differs from the file name']
      : []),
    ...(mentionsUnknown(json.conditions) ? ['unknown() is not allowed'] : []),
    ...permitProblems(policy, json),
  ];
  return messages.map((message) => ({ policy, message }));
}

function permitProblems(policy: string, json: PolicyJson): readonly string[] {
  if (json.effect === 'forbid') return [];
  if (json.action.kind === 'any') return ['a permit names its actions'];
  if (policy.startsWith('p/'))
    return policy === 'p/release' ? [] : ['the platform permits nothing but the release'];
  return json.action.ids
    .filter((id) => reservedActions.includes(id))
    .map((id) => `a tenant may not permit ${id}`);
}

function mentionsUnknown(conditions: unknown): boolean {
  const open: unknown[] = [conditions];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== 'object' || value === null) continue;
    if (Array.isArray((value as Record<string, unknown>)['unknown'])) return true;
    open.push(...Object.values(value));
  }
  return false;
}
