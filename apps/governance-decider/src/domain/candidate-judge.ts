import type { Engine } from './cedar/cedar.js';
import type { Laboratory, Stage, Tried } from './policy/laboratory.js';
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
}

/** A set that was found sound, and its texts. */
export interface SoundCandidate {
  readonly set: PolicySet;
  readonly texts: PolicyTexts;
}

/** A candidate ready to be asked, in the spare instance alone. The active sets can be asked there too. */
export interface CandidateBench {
  readonly set: PolicySet;
  readonly engine: Engine;
}

/**
 * Puts a candidate into the spare instance, lets `work` judge on it, and takes it out again. Nobody else has the spare
 * instance meanwhile, so long work comes in pieces: reloads wait between them, live calls never.
 */
export async function onCandidate<T>(
  candidate: SoundCandidate,
  parts: CandidateParts,
  work: (bench: CandidateBench) => Promise<T>,
): Promise<Tried<T>> {
  const tried = await parts.stage.rehearse((laboratory) =>
    tryOn(candidate, { laboratory, directory: parts.directory }, work),
  );
  return tried.kind === 'done' ? tried.value : tried;
}

async function tryOn<T>(
  { set, texts }: SoundCandidate,
  { laboratory, directory }: { readonly laboratory: Laboratory; readonly directory: Directory },
  work: (bench: CandidateBench) => Promise<T>,
): Promise<Tried<T>> {
  const { version } = set;
  const warmUp = warmUpQuestions(set, directory);
  const installed = await laboratory.install({ ...texts, version, warmUp, slices: slicesOf(set) });
  if (installed.kind === 'failed') return installed;
  try {
    return { kind: 'done', value: await work({ set, engine: laboratory.engine }) };
  } finally {
    await laboratory.remove(version);
  }
}
