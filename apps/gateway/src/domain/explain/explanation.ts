import type {
  AnswerOf,
  AskOf,
  CallExplanation,
  Caller,
  ExplainedStage,
  ExplanationView,
  explainCall,
} from '@uar/contracts';
import type { Ending } from '../call/ending.js';
import type { Unavailable } from '../call/ports.js';
import { stageCall, type PreviewParts, type StagedPreview } from './staged-call.js';

/** The decider, as explanations ask it. */
export interface ExplainingPdp {
  explain(ask: AskOf<typeof explainCall>): Promise<AnswerOf<typeof explainCall> | Unavailable>;
  /** What decides for a tenant now. */
  ruling(tenant: string): Promise<Ruling | Unavailable>;
}

export interface Ruling {
  readonly kind: 'ruling';
  readonly governance: 'on' | 'off';
  readonly policyVersion: string;
}

export interface ExplainRequest {
  readonly caller: Caller;
  readonly toolName: string;
  readonly argumentsJson: string;
  readonly runId?: string;
  /** Epoch milliseconds. */
  readonly at?: number;
}

export type Explained = { readonly kind: 'explained'; readonly view: ExplanationView } | Unavailable;

/** A call from its name to the approval it would need, without making it. */
export class CallExplanations {
  constructor(private readonly parts: { readonly preview: PreviewParts; readonly pdp: ExplainingPdp }) {}

  async explain(request: ExplainRequest): Promise<Explained> {
    const { caller, toolName, argumentsJson, runId, at } = request;
    const staged = await stageCall(this.parts.preview, {
      ...{ caller, toolName, argumentsJson },
      ...(runId === undefined ? {} : { runId }),
    });
    if (staged.refusal?.outcome === 'unavailable')
      return { kind: 'unavailable', cause: staged.refusal.cause ?? 'staging' };
    const entry = staged.entry ?? this.parts.preview.catalog.find(caller.principal.tenant, toolName);
    if (entry === undefined) return this.withoutTool(caller, staged.refusal);
    const asked = await this.parts.pdp.explain({
      ...{ caller: staged.caller, tool: entry.facts, arguments_json: argumentsJson },
      ...(at === undefined ? {} : { at }),
    });
    if ('kind' in asked) return asked;
    return { kind: 'explained', view: viewOf(staged, asked) };
  }

  private async withoutTool(caller: Caller, refusal: Ending | undefined): Promise<Explained> {
    const ruling = await this.parts.pdp.ruling(caller.principal.tenant);
    if (ruling.kind === 'unavailable') return ruling;
    const { outcome = 'unknown_tool', cause = 'no_such_name' } = refusal ?? {};
    return {
      kind: 'explained',
      view: {
        ...{ decision: 'deny', outcome, cause, determining: [], gates: [], hints: [], facts: null },
        ...{ governance: ruling.governance, policy_version: ruling.policyVersion },
        stages: [
          { stage: 'who', result: 'passed' },
          { stage: 'name', result: 'refused', cause: 'no_such_name' },
          runStage(refusal),
        ],
      },
    };
  }
}

function viewOf(staged: StagedPreview, asked: CallExplanation): ExplanationView {
  const { seen, stages, ...rest } = asked;
  const who = stages.filter(({ stage }) => stage === 'who');
  const behind = stages.filter(({ stage }) => stage !== 'who');
  const own: ExplainedStage[] = [
    { stage: 'name', result: 'passed' },
    runStage(staged.refusal),
    shapeStage(staged.refusal),
  ];
  return { ...rest, ...decisionOf(staged, asked, seen), stages: [...who, ...own, ...behind] };
}

/** An earlier refusal stands before the PDP's, for everybody who may know that there is such a tool. */
function decisionOf({ refusal, needsSight }: StagedPreview, asked: CallExplanation, seen: boolean) {
  if (refusal === undefined) return {};
  const nothing = { determining: [], gates: [] };
  if (needsSight && !seen) {
    const hidden = asked.stages.find(({ stage }) => stage === 'discoverTool');
    const determining = hidden?.determining ?? [];
    return {
      ...nothing,
      decision: 'deny' as const,
      outcome: 'unknown_tool' as const,
      cause: 'not_discoverable',
      determining,
    };
  }
  const { outcome, cause } = refusal;
  return { ...nothing, decision: 'deny' as const, outcome, cause };
}

function runStage(refusal: Ending | undefined): ExplainedStage {
  if (refusal?.outcome !== 'run_denied') return { stage: 'run', result: 'passed' };
  return {
    stage: 'run',
    result: 'refused',
    ...(refusal.cause === undefined ? {} : { cause: refusal.cause }),
  };
}

function shapeStage(refusal: Ending | undefined): ExplainedStage {
  if (refusal === undefined) return { stage: 'shape', result: 'passed' };
  if (refusal.outcome === 'run_denied') return { stage: 'shape', result: 'not_asked' };
  const { cause, details, outcome } = refusal;
  return {
    stage: 'shape',
    result: 'refused',
    cause: cause ?? outcome,
    ...(details === undefined ? {} : { details }),
  };
}

/** Injection token of the CallExplanations. */
export const CALL_EXPLANATIONS = Symbol('uar.gateway.call-explanations');
