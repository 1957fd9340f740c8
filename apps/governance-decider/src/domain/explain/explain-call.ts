import type { AskOf, CallExplanation, CallQuestion, ExplainedStage, explainCall } from '@uar/contracts';
import { argumentsDigest } from '@uar/json-text';
import type { ActiveTexts } from '../candidate-judge.js';
import { refusalOfPrincipal, refusalOfTool } from '../decide/before-cedar.js';
import { CedarJudge, type CedarParts } from '../decide/cedar-judge.js';
import { quorumOf } from '../decide/quorum.js';
import type { CallVerdict, Judged } from '../decide/verdict.js';
import type { Stage } from '../policy/laboratory.js';
import type { PolicySet } from '../policy/policy-set.js';
import { toolReads } from '../policy/tool-reads.js';
import { placeOf } from '../question/entities.js';
import { toolQuestions, type ToolQuestions } from '../question/tool-questions.js';
import type { Explainer } from './explainer.js';
import { factsView } from './facts-view.js';
import { asksNobody, gatesOf } from './gates.js';
import { hintsOf } from './hints.js';
import { plainHints } from './plain-hints.js';
import { askActions, namedPolicies, type AskedAction } from './tool-stages.js';

export type ExplainAsk = AskOf<typeof explainCall>;

export interface ExplainParts extends Omit<CedarParts, 'remembered'> {
  readonly texts: ActiveTexts;
  readonly stage: Pick<Stage, 'rehearse'>;
}

/** The question of a call that nobody made. */
export function questionOf({ caller, tool, arguments_json }: Omit<ExplainAsk, 'at'>): CallQuestion {
  return {
    call_id: `call_${'0'.repeat(32)}` as CallQuestion['call_id'],
    caller,
    tool,
    arguments_json,
    arguments_digest: argumentsDigest(arguments_json),
  };
}

/**
 * The decision of the very judge that decides live calls, and beside it every question that it may ask. Nothing comes from
 * memory, nothing is remembered, no grant is made.
 */
export class CallExplainer implements Explainer {
  constructor(private readonly parts: ExplainParts) {}

  async explain(ask: ExplainAsk): Promise<CallExplanation> {
    const now = ask.at ?? this.parts.now();
    const { tenant } = ask.caller.principal;
    const set = this.parts.sets.of(tenant);
    const parts = { ...this.parts, now: () => now, sets: { of: () => set } };
    const question = questionOf(ask);
    const judged = await new CedarJudge({ ...parts, remembered: 0 }).judgeCall(question);
    if (set === undefined) return this.withoutSet(question, judged, now);
    const asked = await this.askAll(question, set, now);
    const texts = this.parts.texts.textsOf(tenant);
    const ground = { set, tool: placeOf(ask.tool), stage: this.parts.stage };
    const refused = firstRefusal(asked.actions, judged.verdict)?.refused ?? [];
    return {
      ...verdictOf(judged, set),
      stages: [...stagesBefore(question, now), ...asked.stages, this.approvalStage(question, judged.verdict)],
      gates: gatesOf(
        { verdict: judged.verdict, caller: ask.caller },
        asked.actions.find(({ action }) => action === 'callToolUnattended'),
        set,
      ),
      hints: [
        ...plainHints(question, judged.verdict),
        ...(texts === undefined ? [] : await hintsOf(refused, { ...ground, texts })),
      ],
      facts: factsView(this.toolAsk(question, now), this.parts.directory, toolReads(set, ask.tool).facts),
      seen: asked.actions[0]?.verdict.kind === 'yes',
    };
  }

  private async askAll(question: CallQuestion, set: PolicySet, now: number): Promise<Asked> {
    const ready = this.prepare(question, set, now);
    if (ready.kind === 'ready') {
      const actions = await askActions(['discoverTool', 'callTool', 'callToolUnattended'], ready, {
        engine: this.parts.engine,
        set,
      });
      return {
        actions,
        stages: ordered(
          actions.map(({ stage }) => stage),
          question,
        ),
      };
    }
    if (ready.cause !== 'args_rejected')
      return { actions: [], stages: ordered([refusedStage('discoverTool', ready.cause)], question) };
    const withoutArguments = this.prepare({ ...question, arguments_json: '{}' }, set, now);
    if (withoutArguments.kind === 'refused')
      return { actions: [], stages: ordered([refusedStage('discoverTool', ready.cause)], question) };
    const actions = await askActions(['discoverTool'], withoutArguments, { engine: this.parts.engine, set });
    const stages = [...actions.map(({ stage }) => stage), refusedStage('callTool', ready.cause)];
    return { actions, stages: ordered(stages, question) };
  }

  private prepare(question: CallQuestion, set: PolicySet, now: number): ToolQuestions {
    return toolQuestions(this.toolAsk(question, now), set, this.parts.directory);
  }

  private toolAsk({ caller, tool, arguments_json: argumentText }: CallQuestion, now: number) {
    return { caller, tool, argumentText, profile: this.parts.profile, now };
  }

  private approvalStage({ tool }: CallQuestion, verdict: CallVerdict): ExplainedStage {
    switch (verdict.kind) {
      case 'allow':
        return { stage: 'approval', result: 'passed' };
      case 'require_approval': {
        const quorum = quorumOf(tool, this.parts.profile);
        return { stage: 'approval', result: 'needed', quorum, reasons: [...verdict.reasons] };
      }
      case 'deny':
        return asksNobody(verdict)
          ? refusedStage('approval', verdict.cause)
          : { stage: 'approval', result: 'not_asked' };
    }
  }

  private withoutSet(question: CallQuestion, judged: Judged, now: number): CallExplanation {
    return {
      ...verdictOf(judged),
      stages: [
        ...stagesBefore(question, now),
        ...ordered([refusedStage('discoverTool', 'policies_unavailable')], question),
        { stage: 'approval', result: 'not_asked' },
      ],
      gates: [],
      hints: plainHints(question, judged.verdict),
      facts: factsView(this.toolAsk(question, now), this.parts.directory, new Set()),
      seen: false,
    };
  }
}

interface Asked {
  readonly actions: readonly AskedAction[];
  readonly stages: readonly ExplainedStage[];
}

function verdictOf({ version, verdict }: Judged, set?: PolicySet) {
  return {
    decision: verdict.kind,
    ...(verdict.kind === 'deny' ? { outcome: verdict.outcome, cause: verdict.cause } : {}),
    governance: 'on' as const,
    policy_version: version,
    determining: set === undefined ? [] : namedPolicies(verdict.determining, set),
  };
}

/** The questions whose answer made the decision what it is. */
function firstRefusal(actions: readonly AskedAction[], verdict: CallVerdict): AskedAction | undefined {
  const wanted = verdict.kind === 'allow' ? [] : actions;
  return wanted.find((asked) => asked.verdict.kind === 'no');
}

function stagesBefore(question: CallQuestion, now: number): ExplainedStage[] {
  const expired = refusalOfPrincipal(question, now);
  return [
    expired === undefined ? { stage: 'who', result: 'passed' } : refusedStage('who', expired.cause),
    question.tool.pinned
      ? { stage: 'quarantine', result: 'passed' }
      : refusedStage('quarantine', 'definition_unreviewed'),
  ];
}

/** Cedar's stages with the capability between discovery and call; what was not asked says so. */
function ordered(found: readonly ExplainedStage[], question: CallQuestion): readonly ExplainedStage[] {
  const known = new Map(found.map((stage) => [stage.stage, stage]));
  const refused = refusalOfTool({ ...question, tool: { ...question.tool, pinned: true } });
  const capability: ExplainedStage =
    refused === undefined
      ? { stage: 'capability', result: 'passed' }
      : refusedStage('capability', refused.cause);
  return (['discoverTool', 'capability', 'callTool', 'callToolUnattended'] as const).map((stage) =>
    stage === 'capability' ? capability : (known.get(stage) ?? { stage, result: 'not_asked' }),
  );
}

function refusedStage(stage: ExplainedStage['stage'], cause: string): ExplainedStage {
  return { stage, result: 'refused', cause };
}
