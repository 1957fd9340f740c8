import { createHash } from 'node:crypto';
import type { Laboratory } from './laboratory.js';
import { problemsOfPolicy, problemsOfTexts, type PolicyProblem } from './lint.js';
import { PolicyJson } from './policy-json.js';
import { policySet, versionOf, type PolicySet, type PolicyTexts } from './policy-set.js';

export type Candidate =
  | { readonly kind: 'sound'; readonly set: PolicySet }
  | { readonly kind: 'unsound'; readonly problems: readonly PolicyProblem[] };

/**
 * Policies that were found sound under a schema. Soundness is a matter of each policy alone, so a policy that stands in many
 * sets, or did not change, is inspected once.
 */
export class SoundPolicies {
  readonly #known = new Map<string, PolicyJson>();

  find(schema: string, id: string, text: string): PolicyJson | undefined {
    return this.#known.get(keyOf(schema, id, text));
  }

  remember(schema: string, id: string, found: { readonly text: string; readonly json: PolicyJson }): void {
    if (this.#known.size >= maxRemembered) this.#known.clear();
    this.#known.set(keyOf(schema, id, found.text), found.json);
  }
}

const maxRemembered = 20_000;

function keyOf(schema: string, id: string, text: string): string {
  return createHash('sha256')
    .update(JSON.stringify([schema, id, text]))
    .digest('base64');
}

/** Text guard, parse, lint, strict validation: in this order, so that no parser sees what the guard refuses. */
export async function checkCandidate(
  texts: PolicyTexts,
  laboratory: Laboratory,
  sound = new SoundPolicies(),
): Promise<Candidate> {
  const ofTexts = problemsOfTexts(texts.policies);
  if (ofTexts.length > 0) return { kind: 'unsound', problems: ofTexts };
  const { schema } = texts;
  const fresh = Object.entries(texts.policies).filter(
    ([id, text]) => sound.find(schema, id, text) === undefined,
  );
  const problems = fresh.length === 0 ? [] : await inspect(schema, fresh, { laboratory, sound });
  if (problems.length > 0) return { kind: 'unsound', problems };
  const parsed = Object.entries(texts.policies).flatMap(([id, text]): [string, PolicyJson][] => {
    const json = sound.find(schema, id, text);
    return json === undefined ? [] : [[id, json]];
  });
  if (parsed.length !== Object.keys(texts.policies).length)
    return { kind: 'unsound', problems: [{ message: 'more policies than can be held' }] };
  return { kind: 'sound', set: policySet(versionOf(texts), new Map(parsed)) };
}

async function inspect(
  schema: string,
  fresh: readonly (readonly [string, string])[],
  by: { readonly laboratory: Laboratory; readonly sound: SoundPolicies },
): Promise<readonly PolicyProblem[]> {
  const tried = await by.laboratory.inspect({ schema, policies: Object.fromEntries(fresh) });
  if (tried.kind === 'failed') return [{ message: tried.message }];
  const { schemaProblem, policies, findings } = tried.value;
  if (schemaProblem !== undefined) return [{ message: `schema: ${schemaProblem}` }];
  const problems: PolicyProblem[] = findings.map(({ policy, message }) => ({ policy, message }));
  const parsed = new Map<string, { text: string; json: PolicyJson }>();
  for (const [id, text] of fresh) {
    const found = readPolicy(policies[id]);
    if (found.kind === 'broken') problems.push({ policy: id, message: found.message });
    else {
      parsed.set(id, { text, json: found.json });
      problems.push(...problemsOfPolicy(id, found.json));
    }
  }
  if (problems.length === 0) for (const [id, found] of parsed) by.sound.remember(schema, id, found);
  return problems;
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
