import type { Engine } from './cedar/cedar.js';
import type { SoundPolicies } from './policy/candidate.js';
import { checkCandidate } from './policy/candidate.js';
import type { Laboratory, Stage } from './policy/laboratory.js';
import type { PolicyProblem } from './policy/lint/problem.js';
import type { PolicySet, PolicyTexts } from './policy/policy-set.js';
import { slicesOf } from './policy/slices.js';
import type { Directory } from './question/directory.js';
import { warmUpQuestions } from './question/warm-up.js';

/** Whoever knows the texts of each tenant's active set. Nothing: none could be loaded. */
export interface ActiveTexts {
  textsOf(tenant: string): PolicyTexts | undefined;
}

export interface CandidateParts {
  readonly stage: Pick<Stage, 'rehearse'>;
  readonly directory: Directory;
  /** What was found sound before, so that a candidate tried piece by piece is inspected once. */
  readonly sound: SoundPolicies;
}

/** A candidate ready to be asked, in the spare instance alone. The active sets can be asked there too. */
export interface CandidateBench {
  readonly set: PolicySet;
  readonly engine: Engine;
}

export type TriedCandidate<T> =
  | { readonly kind: 'done'; readonly value: T; readonly warnings: readonly PolicyProblem[] }
  | {
      readonly kind: 'unsound';
      readonly problems: readonly PolicyProblem[];
      readonly warnings: readonly PolicyProblem[];
    }
  /** The spare instance did not serve. */
  | { readonly kind: 'failed'; readonly message: string };

/**
 * Checks a candidate, puts it into the spare instance, lets `work` judge on it, and takes it out again. Nobody else has the
 * spare instance meanwhile, so long work comes in pieces: reloads wait between them, live calls never.
 */
export async function onCandidate<T>(
  texts: PolicyTexts,
  parts: CandidateParts,
  work: (bench: CandidateBench) => Promise<T>,
): Promise<TriedCandidate<T>> {
  const tried = await parts.stage.rehearse((laboratory) => tryOn(texts, { ...parts, laboratory }, work));
  return tried.kind === 'done' ? tried.value : tried;
}

async function tryOn<T>(
  texts: PolicyTexts,
  { laboratory, sound, directory }: CandidateParts & { readonly laboratory: Laboratory },
  work: (bench: CandidateBench) => Promise<T>,
): Promise<TriedCandidate<T>> {
  const candidate = await checkCandidate(texts, laboratory, { sound });
  if (candidate.kind === 'unsound') return candidate;
  const { set, warnings } = candidate;
  const installed = await laboratory.install({
    ...texts,
    version: set.version,
    warmUp: warmUpQuestions(set, directory),
    slices: slicesOf(set),
  });
  if (installed.kind === 'failed') return installed;
  try {
    return { kind: 'done', value: await work({ set, engine: laboratory.engine }), warnings };
  } finally {
    await laboratory.remove(set.version);
  }
}

/** The platform's policies of the active set, with `own` in the place of the tenant's. */
export function candidateTexts(
  active: PolicyTexts,
  own: Readonly<Record<string, string>>,
):
  | { readonly kind: 'texts'; readonly texts: PolicyTexts }
  | { readonly kind: 'unsound'; readonly problems: readonly PolicyProblem[] } {
  const platform = Object.entries(active.policies).filter(([id]) => id.startsWith('p/'));
  const problems = Object.keys(own)
    .filter((id) => !id.startsWith('t/') && own[id] !== active.policies[id])
    .map((policy): PolicyProblem => ({ policy, message: 'a tenant writes t/... only', severity: 'error' }));
  if (problems.length > 0) return { kind: 'unsound', problems };
  const policies = { ...Object.fromEntries(platform), ...own };
  return { kind: 'texts', texts: { schema: active.schema, policies } };
}
