import type {
  ActionQuestion,
  CallQuestion,
  Caller,
  ItemQuestion,
  ProfileName,
  ToolFacts,
} from '@uar/contracts';
import type { CedarQuestion, Engine } from '../cedar/cedar.js';
import { judge, type Verdict } from '../cedar/judge.js';
import type { ArgumentReader } from '../facts/argument-facts.js';
import { noVersion, type PolicySet } from '../policy/policy-set.js';
import { toolReads } from '../policy/tool-reads.js';
import type { Directory } from '../question/directory.js';
import { toolQuestions, type ToolQuestions } from '../question/tool-questions.js';
import { barredBy, type Party } from './barred.js';
import { judgeActions, weighActions } from './actions.js';
import { isExpired, refusalOfPrincipal, refusalOfTool } from './before-cedar.js';
import { DecisionCache, decisionKey, type DecisionGround } from './memory/decision-cache.js';
import { judgeRelease } from './release.js';
import { callUnderRun, releaseUnderRun, sightUnderRun } from './run-limits.js';
import { SightMemory } from './sight/sight-memory.js';
import { seeTools } from './sight/sights.js';
import { SteadyAnswers } from './memory/steady-answers.js';
import {
  all,
  deny,
  union,
  type ActionVerdict,
  type CallVerdict,
  type DenialCause,
  type Judge,
  type Judged,
  type JudgedItem,
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
  /** Absent: argument text is read as it is. */
  readonly reader?: ArgumentReader;
  /** Most decisions kept in memory. */
  readonly remembered: number;
}

type ReadyQuestions = Extract<ToolQuestions, { kind: 'ready' }>;

const callActions = ['discoverTool', 'callTool', 'callToolUnattended'] as const;

export class CedarJudge implements Judge {
  readonly governance = 'on';

  readonly #decisions: DecisionCache<CallVerdict>;
  readonly #steady: SteadyAnswers;
  readonly #sights = new SightMemory();

  constructor(private readonly parts: CedarParts) {
    this.#decisions = new DecisionCache(parts.remembered);
    this.#steady = new SteadyAnswers(parts.engine, parts.remembered);
  }

  versionFor(tenant: string): string {
    return this.parts.sets.of(tenant)?.version ?? noVersion;
  }

  barred(party: Party): ReturnType<typeof barredBy> {
    return barredBy(this.parts.directory, party);
  }

  async judgeCall(question: CallQuestion): Promise<Judged> {
    const set = this.parts.sets.of(question.caller.principal.tenant);
    const refused = refusalOfPrincipal(question, this.parts.now());
    if (refused !== undefined) return { version: set?.version ?? noVersion, verdict: refused };
    if (set === undefined)
      return { version: noVersion, verdict: deny('unknown_tool', 'policies_unavailable') };
    const key = decisionKey(question, this.groundOf(set), question.arguments_digest);
    const verdict = callUnderRun(await this.remembered(question, set, key), question.caller);
    return { version: set.version, verdict, key };
  }

  async judgeRelease(question: CallQuestion, votes: Votes): Promise<Judged> {
    const set = this.parts.sets.of(question.caller.principal.tenant);
    if (set === undefined)
      return { version: noVersion, verdict: deny('policy_denied', 'policies_unavailable') };
    const verdict = await judgeRelease(this.parts, { question, votes, set });
    return releaseUnderRun({ version: set.version, verdict }, question.caller);
  }

  async sights(caller: Caller, tools: readonly ToolFacts[]): Promise<readonly ToolSight[]> {
    const set = this.parts.sets.of(caller.principal.tenant);
    if (set === undefined) return tools.map(() => ({ kind: 'hidden' }));
    const view = this.#sights.of(caller, this.groundOf(set));
    const seen = await seeTools({ ...this.parts, view }, { caller, set }, tools);
    return seen.map((sight) => sightUnderRun(sight, caller));
  }

  async judgeItem({ caller, item }: ItemQuestion): Promise<JudgedItem> {
    const version = this.versionFor(caller.principal.tenant);
    const denied = (cause: DenialCause): JudgedItem => ({
      version,
      verdict: { kind: 'deny', cause, determining: [] },
    });
    if (isExpired(caller, this.parts.now())) return denied('principal_expired');
    const [verdict] = await weighActions(this.parts, caller, [{ kind: 'item', item }]);
    return verdict === undefined ? denied('engine_failed') : { version, verdict };
  }

  judgeActions(caller: Caller, questions: readonly ActionQuestion[]): Promise<readonly ActionVerdict[]> {
    return judgeActions(this.parts, caller, questions);
  }

  private async remembered(question: CallQuestion, set: PolicySet, exactly: string): Promise<CallVerdict> {
    const known = this.#decisions.find(exactly);
    if (known !== undefined) return known;
    const reads = toolReads(set, question.tool);
    const prepared = this.prepare(question, question.arguments_json, set);
    const readability = prepared.kind === 'ready' ? prepared.readability : prepared.cause;
    const alike = reads.arguments ? exactly : decisionKey(question, this.groundOf(set), readability);
    const verdict = this.#decisions.find(alike) ?? (await this.judgeAnew(prepared, question, set));
    if (reads.time || !isRepeatable(verdict)) return verdict;
    this.#decisions.store(exactly, verdict);
    this.#decisions.store(alike, verdict);
    return verdict;
  }

  private groundOf(set: PolicySet): DecisionGround {
    const { directory } = this.parts;
    return { policyVersion: set.version, directoryRevision: directory.revision, readsRun: set.readsRun };
  }

  private async judgeAnew(
    prepared: ToolQuestions,
    question: CallQuestion,
    set: PolicySet,
  ): Promise<CallVerdict> {
    if (prepared.kind === 'ready') return this.ask(prepared, question, set);
    if (prepared.cause !== 'args_rejected') return deny('policy_denied', prepared.cause);
    const withoutArguments = this.prepare(question, '{}', set);
    if (withoutArguments.kind === 'refused') return deny('policy_denied', withoutArguments.cause);
    const rejected = deny('policy_denied', 'args_rejected');
    return this.discover(withoutArguments, set, refusalOfTool(question) ?? rejected);
  }

  private prepare(question: CallQuestion, argumentText: string, set: PolicySet): ToolQuestions {
    const { directory, profile, now, reader } = this.parts;
    const ask = { caller: question.caller, tool: question.tool, argumentText, reader, profile, now: now() };
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
    const key = decisionKey(question, this.groundOf(set), 'steady');
    const asked = callActions.map((action) => ({ action, questions: () => ready.questions(action) }));
    const answers = await this.#steady.ask(key, set, asked);
    const verdict = (action: (typeof callActions)[number]) =>
      all((answers.get(action) ?? []).map((answer) => judge(answer, set)));
    return weigh(
      {
        seen: verdict('discoverTool'),
        may: verdict('callTool'),
        unattended: verdict('callToolUnattended'),
      },
      set,
    );
  }

  private async verdicts(questions: readonly CedarQuestion[], set: PolicySet): Promise<readonly Verdict[]> {
    const answers = await this.parts.engine.ask({ set: set.version, questions, stopAtRefusal: true });
    return questions.map((_, index) => judge(answers[index], set));
  }
}

function weigh(
  asked: { readonly seen: Verdict; readonly may: Verdict; readonly unattended: Verdict },
  set: PolicySet,
): CallVerdict {
  const { seen, may, unattended } = asked;
  if (seen.kind === 'no') return deny('unknown_tool', seen.code, seen.determining);
  if (may.kind === 'no') return deny('policy_denied', may.code, may.determining);
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
  'run_capability_missing',
];

/** The state of the engine had no part in it. */
function isRepeatable(verdict: CallVerdict): boolean {
  return verdict.kind !== 'deny' || repeatableCauses.includes(verdict.cause);
}
