import type { ActionQuestion, Caller } from '@uar/contracts';
import type { ActionVerdict, Judge } from '../decide/verdict.js';
import { NotingJudge, type NotingParts } from '../record/noting-judge.js';

/** What about a tenant is broken, so that nobody could be allowed to mend it. */
export interface Breakdowns {
  /** No set is in force. */
  isWithoutSet(tenant: string): boolean;
  /** The settings that were written by API cannot be read. */
  isWithoutSettings(tenant: string): boolean;
}

export interface RepairParts {
  readonly breakdowns: Breakdowns;
  /** Decides by what the operator's files say. */
  readonly judge: Pick<Judge, 'judgeActions'>;
}

/** Judges as always; but on the repair of what is broken, and on nothing else, the operator's files decide. */
export class RepairJudge extends NotingJudge {
  constructor(
    parts: NotingParts,
    private readonly repair: RepairParts,
  ) {
    super(parts);
  }

  override async judgeActions(
    caller: Caller,
    questions: readonly ActionQuestion[],
  ): Promise<readonly ActionVerdict[]> {
    const { tenant } = caller.principal;
    const repairs = questions.filter((question) => this.#repairs(tenant, question));
    if (repairs.length === 0) return super.judgeActions(caller, questions);
    const others = questions.filter((question) => !repairs.includes(question));
    const decided = await this.repair.judge.judgeActions(caller, repairs);
    const usual = others.length === 0 ? [] : await super.judgeActions(caller, others);
    const verdicts = new Map([...zip(repairs, decided), ...zip(others, usual)]);
    return questions.map((question) => verdicts.get(question) ?? unanswered);
  }

  #repairs(tenant: string, question: ActionQuestion): boolean {
    if (question.kind !== 'admin') return false;
    const { breakdowns } = this.repair;
    if (question.action === 'manageSettings') return breakdowns.isWithoutSettings(tenant);
    const isOfPolicies = question.action === 'readPolicies' || question.action === 'managePolicies';
    return isOfPolicies && breakdowns.isWithoutSet(tenant);
  }
}

const unanswered: ActionVerdict = { kind: 'deny', cause: 'engine_failed', determining: [] };

function zip(
  questions: readonly ActionQuestion[],
  verdicts: readonly ActionVerdict[],
): [ActionQuestion, ActionVerdict][] {
  return questions.map((question, index) => [question, verdicts[index] ?? unanswered]);
}
