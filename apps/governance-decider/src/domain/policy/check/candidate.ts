import { createHash } from 'node:crypto';
import type { Finding, Inspection, Laboratory } from '../laboratory.js';
import { problemOfFinding, withoutEchoes } from '../lint/engine-findings.js';
import { declaredAttributes, problemsOfPolicy } from '../lint/policy-rules.js';
import { PolicyText } from '../lint/policy-text.js';
import type { PolicyProblem } from '../lint/problem.js';
import { problemsOfTexts } from '../lint/set-rules.js';
import { findingsOfSet } from '../lint/set-lint.js';
import type { ToolSchema } from '../lint/tool-schema.js';
import { PolicyJson } from '../policy-json.js';
import { policySet, versionOf, type PolicySet, type PolicyTexts } from '../policy-set.js';

export type Candidate =
  | { readonly kind: 'sound'; readonly set: PolicySet; readonly warnings: readonly PolicyProblem[] }
  | {
      readonly kind: 'unsound';
      readonly problems: readonly PolicyProblem[];
      readonly warnings: readonly PolicyProblem[];
    };

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

export interface CheckOptions {
  readonly sound?: SoundPolicies | undefined;
  /** The tenant's tools, for what is checked against the live catalog; absent while it is not known. */
  readonly schemas?: readonly ToolSchema[] | undefined;
}

/** Text guard, parse, lint, strict validation: in this order, so that no parser sees what the guard refuses. */
export async function checkCandidate(
  texts: PolicyTexts,
  laboratory: Laboratory,
  { sound = new SoundPolicies(), schemas }: CheckOptions = {},
): Promise<Candidate> {
  const ofTexts = problemsOfTexts(texts.policies);
  const guarded = new Set(ofTexts.map(({ policy }) => policy));
  const { parsed, problems: ofPolicies } = await parse(texts, guarded, { laboratory, sound });
  const set = policySet(versionOf(texts), parsed);
  const found = [...ofTexts, ...ofPolicies, ...findingsOfSet(set, texts.policies, schemas)];
  const problems = found.filter(({ severity }) => severity === 'error');
  const warnings = found.filter(({ severity }) => severity === 'warning');
  return problems.length > 0 ? { kind: 'unsound', problems, warnings } : { kind: 'sound', set, warnings };
}

interface Parsed {
  /** In the order of the texts. */
  readonly parsed: ReadonlyMap<string, PolicyJson>;
  readonly problems: readonly PolicyProblem[];
}

async function parse(
  { schema, policies }: PolicyTexts,
  guarded: ReadonlySet<string | undefined>,
  by: { readonly laboratory: Laboratory; readonly sound: SoundPolicies },
): Promise<Parsed> {
  const found = new Map<string, PolicyJson>();
  const fresh: Record<string, string> = {};
  for (const [id, text] of Object.entries(policies)) {
    const known = by.sound.find(schema, id, text);
    if (known !== undefined) found.set(id, known);
    else if (!guarded.has(id)) fresh[id] = text;
  }
  const inspected = await inspect({ schema, policies: fresh }, by.laboratory);
  for (const [id, json] of inspected.parsed) found.set(id, json);
  for (const [id, json] of inspected.sound) by.sound.remember(schema, id, { text: policies[id] ?? '', json });
  const parsed = Object.keys(policies).flatMap((id): [string, PolicyJson][] => {
    const json = found.get(id);
    return json === undefined ? [] : [[id, json]];
  });
  return { parsed: new Map(parsed), problems: inspected.problems };
}

interface Inspected {
  readonly problems: readonly PolicyProblem[];
  readonly parsed: ReadonlyMap<string, PolicyJson>;
  /** Those of the parsed ones that nothing was said about. */
  readonly sound: ReadonlyMap<string, PolicyJson>;
}

async function inspect(texts: PolicyTexts, laboratory: Laboratory): Promise<Inspected> {
  if (Object.keys(texts.policies).length === 0) return nothingFound([]);
  const tried = await laboratory.inspect(texts);
  if (tried.kind === 'failed') return nothingFound([{ message: tried.message, severity: 'error' }]);
  const { schemaProblem } = tried.value;
  if (schemaProblem !== undefined) return nothingFound([schemaProblemOf(schemaProblem, texts.schema)]);
  return judged(texts, tried.value);
}

function nothingFound(problems: readonly PolicyProblem[]): Inspected {
  return { problems, parsed: new Map(), sound: new Map() };
}

function schemaProblemOf(finding: Finding, schema: string): PolicyProblem {
  const problem = problemOfFinding(finding, new PolicyText(schema));
  return { ...problem, message: `schema: ${problem.message}` };
}

function judged({ schema, policies }: PolicyTexts, inspection: Inspection): Inspected {
  const attributes = declaredAttributes(schema);
  const parsed = new Map<string, PolicyJson>();
  const problems: PolicyProblem[] = [];
  for (const [id, source] of Object.entries(policies)) {
    const text = new PolicyText(source);
    const read = readPolicy(inspection.policies[id]);
    if (read.kind === 'broken') {
      problems.push({ ...problemOfFinding(read.finding, text), policy: id });
      continue;
    }
    parsed.set(id, read.json);
    problems.push(...problemsOfPolicy(id, { json: read.json, text }, attributes));
  }
  problems.push(...withoutEchoes(inspection.findings).map((finding) => validationProblem(finding, policies)));
  const wrong = new Set(problems.map(({ policy }) => policy));
  const sound = wrong.has(undefined) ? [] : [...parsed].filter(([id]) => !wrong.has(id));
  return { problems, parsed, sound: new Map(sound) };
}

function validationProblem(
  finding: Inspection['findings'][number],
  policies: PolicyTexts['policies'],
): PolicyProblem {
  const { policy } = finding;
  const text = policies[policy];
  if (text === undefined) return problemOfFinding(finding, undefined);
  return { ...problemOfFinding(finding, new PolicyText(text)), policy };
}

function readPolicy(
  found: Inspection['policies'][string] | undefined,
): { kind: 'parsed'; json: PolicyJson } | { kind: 'broken'; finding: Finding } {
  const broken = (message: string) => ({ kind: 'broken' as const, finding: { message, isWarning: false } });
  if (found === undefined) return broken('was not parsed');
  if ('broken' in found) return { kind: 'broken', finding: found.broken };
  const parsed = PolicyJson.safeParse(found.json);
  return parsed.success ? { kind: 'parsed', json: parsed.data } : broken('has a form that is not known here');
}
