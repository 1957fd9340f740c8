import type { Laboratory } from './laboratory.js';
import { problemsOfPolicy, problemsOfTexts, type PolicyProblem } from './lint.js';
import { PolicyJson } from './policy-json.js';
import { policySet, versionOf, type PolicySet, type PolicyTexts } from './policy-set.js';

export type Candidate =
  | { readonly kind: 'sound'; readonly set: PolicySet }
  | { readonly kind: 'unsound'; readonly problems: readonly PolicyProblem[] };

/** Text guard, parse, lint, strict validation: in this order, so that no parser sees what the guard refuses. */
export async function checkCandidate(texts: PolicyTexts, laboratory: Laboratory): Promise<Candidate> {
  const ofTexts = problemsOfTexts(texts.policies);
  if (ofTexts.length > 0) return { kind: 'unsound', problems: ofTexts };
  const tried = await laboratory.inspect(texts);
  if (tried.kind === 'failed') return { kind: 'unsound', problems: [{ message: tried.message }] };
  const { schemaProblem, policies, findings } = tried.value;
  if (schemaProblem !== undefined)
    return { kind: 'unsound', problems: [{ message: `schema: ${schemaProblem}` }] };
  const parsed = new Map<string, PolicyJson>();
  const problems: PolicyProblem[] = findings.map(({ policy, message }) => ({ policy, message }));
  for (const policy of Object.keys(texts.policies)) {
    const found = readPolicy(policies[policy]);
    if (found.kind === 'broken') problems.push({ policy, message: found.message });
    else {
      parsed.set(policy, found.json);
      problems.push(...problemsOfPolicy(policy, found.json));
    }
  }
  if (problems.length > 0) return { kind: 'unsound', problems };
  return { kind: 'sound', set: policySet(versionOf(texts), parsed) };
}

function readPolicy(
  found: { json: unknown } | { broken: string } | undefined,
): { kind: 'parsed'; json: PolicyJson } | { kind: 'broken'; message: string } {
  if (found === undefined) return { kind: 'broken', message: 'was not parsed' };
  if ('broken' in found) return { kind: 'broken', message: found.broken };
  const parsed = PolicyJson.safeParse(found.json);
  if (!parsed.success) return { kind: 'broken', message: 'has a form that is not known here' };
  return { kind: 'parsed', json: parsed.data };
}
