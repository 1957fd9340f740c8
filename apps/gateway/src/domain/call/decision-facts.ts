import type { AnswerOf, CallDecision, decideItem } from '@uar/contracts';
import type { DecisionFacts } from './proposed-call.js';

export function decisionFacts(decision: CallDecision | AnswerOf<typeof decideItem>): DecisionFacts {
  return {
    kind: decision.kind,
    policyVersion: decision.policy_version,
    governance: decision.governance,
    determining: decision.determining,
    ...(decision.kind === 'deny' ? { cause: decision.cause } : {}),
  };
}
