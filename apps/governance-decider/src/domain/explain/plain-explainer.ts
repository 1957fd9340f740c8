import type { CallExplanation, ExplainedStage, ProfileName } from '@uar/contracts';
import { PlainJudge } from '../decide/plain-judge.js';
import { quorumOf } from '../decide/quorum.js';
import type { CallVerdict } from '../decide/verdict.js';
import type { Directory } from '../question/directory.js';
import { questionOf, type ExplainAsk } from './explain-call.js';
import type { Explainer } from './explainer.js';
import { asksNobody } from './gates.js';
import { factsView } from './facts-view.js';
import { plainHints } from './plain-hints.js';

export interface PlainExplainParts {
  readonly directory: Directory;
  readonly profile: ProfileName;
  readonly now: () => number;
}

/** What is left to explain where Cedar is switched off. */
export class PlainExplainer implements Explainer {
  constructor(private readonly parts: PlainExplainParts) {}

  async explain(ask: ExplainAsk): Promise<CallExplanation> {
    const { directory, profile } = this.parts;
    const now = ask.at ?? this.parts.now();
    const question = questionOf(ask);
    const { verdict, version } = await new PlainJudge({ directory, now: () => now }).judgeCall(question);
    const quorum = quorumOf(ask.tool, profile);
    const { caller, tool, arguments_json: argumentText } = ask;
    return {
      decision: verdict.kind,
      ...(verdict.kind === 'deny' ? { outcome: verdict.outcome, cause: verdict.cause } : {}),
      governance: 'off',
      policy_version: version,
      determining: [],
      stages: stagesOf(verdict, quorum),
      gates:
        verdict.kind === 'require_approval'
          ? verdict.reasons.map((reason) => ({ kind: 'risk', reason }))
          : [],
      hints: plainHints(question, verdict),
      facts: factsView({ caller, tool, argumentText, profile, now }, directory, new Set()),
      seen: verdict.kind !== 'deny' || verdict.outcome !== 'unknown_tool',
    };
  }
}

const before = ['who', 'discoverTool', 'quarantine', 'capability', 'callTool'] as const;

/** Up to the one that refuses they passed; what comes behind it was not asked. */
function stagesOf(verdict: CallVerdict, quorum: number): ExplainedStage[] {
  const refusing = verdict.kind === 'deny' && !asksNobody(verdict) ? stageOf(verdict) : undefined;
  const at = refusing === undefined ? before.length : before.indexOf(refusing);
  const stages = before.map((stage, index): ExplainedStage => {
    if (index === at && verdict.kind === 'deny') return { stage, result: 'refused', cause: verdict.cause };
    return { stage, result: index < at ? 'passed' : 'not_asked' };
  });
  return [...stages, ...attendance(verdict, quorum)];
}

function stageOf({ outcome, cause }: Extract<CallVerdict, { kind: 'deny' }>): (typeof before)[number] {
  switch (outcome) {
    case 'unknown_tool':
      return 'discoverTool';
    case 'quarantined':
      return 'quarantine';
    case 'capability_denied':
      return 'capability';
    case 'policy_denied':
    case 'run_denied':
      return cause === 'principal_expired' ? 'who' : 'callTool';
  }
}

function attendance(verdict: CallVerdict, quorum: number): ExplainedStage[] {
  switch (verdict.kind) {
    case 'allow':
      return [
        { stage: 'callToolUnattended', result: 'passed' },
        { stage: 'approval', result: 'passed' },
      ];
    case 'require_approval':
      return [
        { stage: 'callToolUnattended', result: 'refused' },
        { stage: 'approval', result: 'needed', quorum, reasons: [...verdict.reasons] },
      ];
    case 'deny':
      return [
        { stage: 'callToolUnattended', result: asksNobody(verdict) ? 'refused' : 'not_asked' },
        asksNobody(verdict)
          ? { stage: 'approval', result: 'refused', cause: verdict.cause }
          : { stage: 'approval', result: 'not_asked' },
      ];
  }
}
