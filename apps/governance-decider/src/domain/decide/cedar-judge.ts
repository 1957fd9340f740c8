import type { ActionQuestion, CallQuestion, Caller, ProfileName, ToolFacts } from '@uar/contracts';
import type { CedarQuestion, Engine } from '../cedar/cedar.js';
import { judge, type Verdict } from '../cedar/judge.js';
import { policiesFor, readsTime, type PolicySet } from '../policy/policy-set.js';
import type { Directory } from '../question/directory.js';
import { placeOf } from '../question/entities.js';
import { toolQuestions, type ToolQuestions } from '../question/tool-questions.js';
import { judgeActions } from './actions.js';
import { refusalOfPrincipal, refusalOfTool } from './before-cedar.js';
import type { DecisionCache } from './decision-cache.js';
import { judgeRelease } from './release.js';
import { seeTools } from './sights.js';
import {
  all,
  deny,
  union,
  type ActionVerdict,
  type CallVerdict,
  type DenialCause,
  type Judge,
  type Judged,
  type ToolSight,
  type Votes,
} from './verdict.js';

/** The active set of each tenant. Nothing: none could be loaded, so nothing is allowed. */
export interface ActiveSets {
  of(tenant: string): PolicySet | undefined;
}

export interface CedarParts {
  readonly sets: ActiveSets;
  readonly engine: Engine;
  readonly directory: Directory;
  readonly profile: ProfileName;
  readonly now: () => number;
  readonly cache: DecisionCache;
}

type ReadyQuestions = Extract<ToolQuestions, { kind: 'ready' }>;

/** Version that decisions name while no set is loaded. */
export const noVersion = 'none';

export class CedarJudge implements Judge {
  readonly governance = 'on';

  constructor(private readonly parts: CedarParts) {}

  versionFor(tenant: string): string {
    return this.parts.sets.of(tenant)?.version ?? noVersion;
  }

  async judgeCall(question: CallQuestion): Promise<Judged> {
    const set = this.parts.sets.of(question.caller.principal.tenant);
    const refused = refusalOfPrincipal(question, this.parts.now());
    if (refused !== undefined) return { version: set?.version ?? noVersion, verdict: refused };
    if (set === undefined)
      return { version: noVersion, verdict: deny('unknown_tool', 'policies_unavailable') };
    return { version: set.version, verdict: await this.remembered(question, set) };
  }

  async judgeRelease(question: CallQuestion, votes: Votes): Promise<Judged> {
    const set = this.parts.sets.of(question.caller.principal.tenant);
    if (set === undefined)
      return { version: noVersion, verdict: deny('policy_denied', 'policies_unavailable') };
    return { version: set.version, verdict: await judgeRelease(this.parts, { question, votes, set }) };
  }

  sights(caller: Caller, tools: readonly ToolFacts[]): Promise<readonly ToolSight[]> {
    return seeTools(this.parts, caller, tools);
  }

  judgeActions(caller: Caller, questions: readonly ActionQuestion[]): Promise<readonly ActionVerdict[]> {
    return judgeActions(this.parts, caller, questions);
  }

  private async remembered(question: CallQuestion, set: PolicySet): Promise<CallVerdict> {
    const { cache, directory } = this.parts;
    const key = cache.keyOf(question, {
      policyVersion: set.version,
      directoryRevision: directory.revision,
      readsRun: set.readsRun,
    });
    const known = cache.find(key);
    if (known !== undefined) return known;
    const verdict = await this.judgeAnew(question, set);
    if (isRepeatable(verdict, question.tool, set)) cache.store(key, verdict);
    return verdict;
  }

  private async judgeAnew(question: CallQuestion, set: PolicySet): Promise<CallVerdict> {
    const prepared = this.prepare(question, question.arguments_json, set);
    if (prepared.kind === 'ready') return this.ask(prepared, question, set);
    if (prepared.cause !== 'args_rejected') return deny('policy_denied', prepared.cause);
    const withoutArguments = this.prepare(question, '{}', set);
    if (withoutArguments.kind === 'refused') return deny('policy_denied', withoutArguments.cause);
    const rejected = deny('policy_denied', 'args_rejected');
    return this.discover(withoutArguments, set, refusalOfTool(question) ?? rejected);
  }

  private prepare(question: CallQuestion, argumentText: string, set: PolicySet): ToolQuestions {
    const { directory, profile, now } = this.parts;
    const ask = { caller: question.caller, tool: question.tool, argumentText, profile, now: now() };
    return toolQuestions(ask, set, directory);
  }

  /** What holds for somebody who may discover the tool; for everybody else there is no such tool. */
  private async discover(ready: ReadyQuestions, set: PolicySet, then: CallVerdict): Promise<CallVerdict> {
    const seen = all(await this.verdicts(ready.questions('discoverTool'), set));
    return seen.kind === 'yes' ? then : deny('unknown_tool', seen.code, seen.determining);
  }

  private async ask(ready: ReadyQuestions, question: CallQuestion, set: PolicySet): Promise<CallVerdict> {
    const refused = refusalOfTool(question);
    if (refused !== undefined) return this.discover(ready, set, refused);
    const subjects = ready.subjects.subjects.length;
    const actions = ['discoverTool', 'callTool', 'callToolUnattended'] as const;
    const verdicts = await this.verdicts(
      actions.flatMap((action) => ready.questions(action)),
      set,
    );
    const [seen, may, unattended] = actions.map((_, index) =>
      all(verdicts.slice(index * subjects, (index + 1) * subjects)),
    );
    return weigh({ seen, may, unattended }, set);
  }

  private async verdicts(questions: readonly CedarQuestion[], set: PolicySet): Promise<readonly Verdict[]> {
    const answers = await this.parts.engine.ask({ set: set.version, questions, stopAtRefusal: true });
    return questions.map((_, index) => judge(answers[index], set));
  }
}

function weigh(
  asked: { seen: Verdict | undefined; may: Verdict | undefined; unattended: Verdict | undefined },
  set: PolicySet,
): CallVerdict {
  const { seen, may, unattended } = asked;
  if (seen?.kind !== 'yes') return deny('unknown_tool', seen?.code ?? 'engine_failed', seen?.determining);
  if (may?.kind !== 'yes') return deny('policy_denied', may?.code ?? 'engine_failed', may?.determining);
  if (unattended === undefined) return deny('policy_denied', 'engine_failed');
  if (unattended.kind === 'yes')
    return { kind: 'allow', determining: union([may.determining, unattended.determining]) };
  const { code, determining } = unattended;
  if (code === 'not_permitted')
    return { kind: 'require_approval', determining, reasons: ['no policy lets this run unattended'] };
  if (code === 'forbidden')
    return { kind: 'require_approval', determining, reasons: determining.map((id) => set.reasonOf(id)) };
  return deny('policy_denied', code, determining);
}

const repeatableCauses: readonly DenialCause[] = [
  'not_permitted',
  'forbidden',
  'args_rejected',
  'definition_unreviewed',
  'capability_missing',
];

/** Neither the clock nor the state of the engine had a part in it. */
function isRepeatable(verdict: CallVerdict, tool: ToolFacts, set: PolicySet): boolean {
  if (verdict.kind === 'deny' && !repeatableCauses.includes(verdict.cause)) return false;
  return !readsTime(policiesFor(set, placeOf(tool), ['discoverTool', 'callTool', 'callToolUnattended']));
}
