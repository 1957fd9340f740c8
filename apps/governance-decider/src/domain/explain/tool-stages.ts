import type { DeterminingPolicy, ExplainedStage, SubjectAnswer } from '@uar/contracts';
import type { CedarQuestion, Engine } from '../cedar/cedar.js';
import { judge, type Verdict } from '../cedar/judge.js';
import { all } from '../decide/verdict.js';
import type { PolicySet } from '../policy/policy-set.js';
import type { ToolAction } from '../policy/scope.js';
import type { ToolQuestions } from '../question/tool-questions.js';
import { uidText } from './clauses.js';
import type { RefusedQuestion } from './hints.js';

type ReadyQuestions = Extract<ToolQuestions, { kind: 'ready' }>;
type CedarStage = 'discoverTool' | 'callTool' | 'callToolUnattended';

/** One action, asked about every subject of the call. */
export interface AskedAction {
  readonly action: CedarStage;
  /** Of all subjects together, as a live call takes it. */
  readonly verdict: Verdict;
  readonly stage: ExplainedStage;
  readonly refused: readonly RefusedQuestion[];
}

/** Every question of the actions, none left out because of an earlier answer. */
export async function askActions(
  actions: readonly CedarStage[],
  ready: ReadyQuestions,
  on: { readonly engine: Engine; readonly set: PolicySet },
): Promise<readonly AskedAction[]> {
  const groups = actions.map((action) => ({ action, questions: ready.questions(action) }));
  const questions = groups.flatMap((group) => group.questions);
  const answers = await on.engine.ask({ set: on.set.version, questions, stopAtRefusal: false });
  let at = 0;
  return groups.map((group) => {
    const verdicts = group.questions.map((_, index) => judge(answers[at + index], on.set));
    at += group.questions.length;
    return askedAction({ ...group, verdicts }, ready, on.set);
  });
}

function askedAction(
  group: {
    readonly action: CedarStage;
    readonly questions: readonly CedarQuestion[];
    readonly verdicts: readonly Verdict[];
  },
  ready: ReadyQuestions,
  set: PolicySet,
): AskedAction {
  const { action, questions, verdicts } = group;
  const together = all(verdicts);
  const { subjects } = ready.subjects;
  return {
    action,
    verdict: together,
    stage: {
      stage: action,
      result: together.kind === 'yes' ? 'passed' : 'refused',
      ...(together.kind === 'no' ? { cause: together.code } : {}),
      determining: namedPolicies(together.determining, set),
      subjects: subjects.flatMap((subject, index): SubjectAnswer[] => {
        const verdict = verdicts[index];
        return verdict === undefined ? [] : [subjectAnswer(uidText(subject.uid), verdict, set)];
      }),
    },
    refused: subjects.flatMap((subject, index) => {
      const [question, verdict] = [questions[index], verdicts[index]];
      if (question === undefined || verdict?.kind !== 'no') return [];
      return [{ action: action satisfies ToolAction, subject, question, verdict }];
    }),
  };
}

function subjectAnswer(principal: string, verdict: Verdict, set: PolicySet): SubjectAnswer {
  return {
    principal,
    result: verdict.kind === 'yes' ? 'passed' : 'refused',
    ...(verdict.kind === 'no' ? { cause: verdict.code } : {}),
    determining: namedPolicies(verdict.determining, set),
  };
}

export function namedPolicies(ids: readonly string[], set: PolicySet): DeterminingPolicy[] {
  return ids.map((policy) => {
    const reason = set.reasonOf(policy);
    return reason === policy ? { policy } : { policy, reason };
  });
}
