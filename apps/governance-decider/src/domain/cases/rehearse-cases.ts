import { checkCandidate, type SoundPolicies } from '../policy/check/candidate.js';
import type { Laboratory } from '../policy/laboratory.js';
import { problemText } from '../policy/lint/problem.js';
import { versionOf, type PolicySet, type PolicyTexts } from '../policy/policy-set.js';
import { slicesOf } from '../policy/slices.js';
import type { CaseFile } from './case-file.js';
import { differences, runCase } from './run-case.js';

export interface CaseFailure {
  readonly case: string;
  /** In the case file, from 1. */
  readonly line?: number;
  readonly differences: readonly string[];
}

/** Runs the cases of a file against a set, with the file's own policies beside it, in the spare instance. */
export async function rehearseCases(
  file: CaseFile,
  texts: PolicyTexts,
  on: { readonly laboratory: Laboratory; readonly sound?: SoundPolicies },
): Promise<readonly CaseFailure[]> {
  const { laboratory, sound } = on;
  const whole = { schema: texts.schema, policies: { ...texts.policies, ...file.policies } };
  const candidate = await checkCandidate(whole, laboratory, { sound });
  if (candidate.kind === 'unsound') {
    const problems = candidate.problems.map(problemText);
    return [{ case: 'the set itself', differences: problems }];
  }
  const { version } = candidate.set;
  const installed = await laboratory.install({
    ...whole,
    ...{ version, warmUp: [], slices: slicesOf(candidate.set) },
  });
  if (installed.kind === 'failed') return [{ case: 'the set itself', differences: [installed.message] }];
  const failures = await failuresOf(file, candidate.set, laboratory);
  if (version !== versionOf(texts)) await laboratory.remove(version);
  return failures;
}

async function failuresOf(
  file: CaseFile,
  set: PolicySet,
  laboratory: Laboratory,
): Promise<readonly CaseFailure[]> {
  const failures: CaseFailure[] = [];
  for (const row of file.cases) {
    const found = await runCase(file, row.question, { set, engine: laboratory.engine });
    const wrong = differences(row, found);
    const place = row.line === undefined ? {} : { line: row.line };
    if (wrong.length > 0) failures.push({ case: row.case, ...place, differences: wrong });
  }
  return failures;
}
