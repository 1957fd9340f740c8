import { textDigest } from '@uar/json-text';
import type { CedarQuestion, RawAnswer } from '../cedar/cedar.js';
import type { Laboratory, Stage } from '../policy/laboratory.js';
import { textProblem } from '../policy/check/text-guard.js';
import type { Clause } from './clauses.js';

export type ClauseFound = 'true' | 'false' | 'erred';

export interface ClauseTrial {
  readonly schema: string;
  /** In this order the answers come back. */
  readonly clauses: readonly Clause[];
  readonly question: CedarQuestion;
}

/**
 * What Cedar finds of each clause alone, about one question: a permit of its own for each, in the spare instance. Nothing
 * where it could not be asked.
 */
export async function tryClauses(
  trials: readonly ClauseTrial[],
  stage: Pick<Stage, 'rehearse'>,
): Promise<readonly (readonly (ClauseFound | undefined)[])[]> {
  if (trials.every(({ clauses }) => clauses.length === 0)) return trials.map(() => []);
  const tried = await stage.rehearse(async (laboratory) => {
    const found: (readonly (ClauseFound | undefined)[])[] = [];
    for (const trial of trials) found.push(await tryOne(trial, laboratory));
    return found;
  });
  return tried.kind === 'done' ? tried.value : trials.map(({ clauses }) => clauses.map(() => undefined));
}

async function tryOne(
  { schema, clauses, question }: ClauseTrial,
  laboratory: Laboratory,
): Promise<readonly (ClauseFound | undefined)[]> {
  const texts = clauses.flatMap(({ text, isExact }, index): [string, string][] => {
    const policy = `permit (principal, action, resource) when { ${text} };`;
    return isExact && textProblem(policy) === undefined ? [[String(index), policy]] : [];
  });
  if (texts.length === 0) return clauses.map(() => undefined);
  const version = `clauses ${textDigest(JSON.stringify(texts))}`;
  const policies = Object.fromEntries(texts);
  const installed = await laboratory.install({ version, schema, policies, warmUp: [], slices: [] });
  if (installed.kind === 'failed') return clauses.map(() => undefined);
  const [answer] = await laboratory.engine.ask({ set: version, questions: [question], stopAtRefusal: false });
  await laboratory.remove(version);
  return clauses.map((_, index) => foundIn(answer, policies, String(index)));
}

function foundIn(
  answer: RawAnswer | undefined,
  policies: Readonly<Record<string, string>>,
  id: string,
): ClauseFound | undefined {
  if (answer?.kind !== 'decided' || policies[id] === undefined) return undefined;
  if (answer.errors.includes(id)) return 'erred';
  return answer.reasons.includes(id) ? 'true' : 'false';
}
