import type { AnswerOf, proposePolicies, readProposal, writePolicies } from '@uar/contracts';
import { Refusal, forbidden, notAvailable, notFound, rateLimited } from '../http/refusal.js';

type Answers =
  AnswerOf<typeof writePolicies> | AnswerOf<typeof proposePolicies> | AnswerOf<typeof readProposal>;

/** Whatever the decider answers besides what was asked for. */
export type PolicyRefusal = Exclude<Answers, { kind: 'written' | 'would_write' | 'proposed' | 'found' }>;

export function policyRefusal(answer: PolicyRefusal): Refusal {
  switch (answer.kind) {
    case 'invalid':
      return new Refusal(422, 'policies_invalid', {
        message: 'The policies are not taken; the set in force stays.',
        details: answer.findings,
      });
    case 'busy':
      return rateLimited(answer.retry_after_ms);
    case 'conflict':
      return new Refusal(409, 'version_conflict', {
        message: 'Another version is in force than the one this was written against.',
        details: { version: answer.version },
      });
    case 'denied':
      return forbidden();
    case 'full':
      return new Refusal(409, 'too_many_proposals', { message: `${answer.message}.` });
    case 'not_found':
      return notFound(answer.message);
    case 'off':
      return new Refusal(422, 'governance_off', { message: 'Cedar is switched off: no policies decide.' });
    case 'not_yet_active':
      return new Refusal(503, 'not_yet_active', {
        message: 'The policies are kept, but the old ones decide until the engine takes the new ones.',
        headers: { 'retry-after': '1' },
      });
    case 'unavailable':
      return notAvailable();
  }
}
