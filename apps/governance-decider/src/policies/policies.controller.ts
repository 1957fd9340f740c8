import { Controller, Inject } from '@nestjs/common';
import { Answers } from '@uar/bus';
import {
  listPolicyVersions,
  listProposals,
  proposePolicies,
  readPolicies,
  readPolicySchema,
  readProposal,
  validatePolicies,
  withdrawProposal,
  writePolicies,
  type AnswerOf,
  type AskOf,
  type Exchange,
} from '@uar/contracts';
import type { PolicyLifecycle } from '../domain/lifecycle/policy-lifecycle.js';
import type { ProposalDesk } from '../domain/lifecycle/proposal-desk.js';
import { POLICY_DESKS } from '../tokens.js';

/** `off`: Cedar is switched off, so there are no policies. */
export type PolicyDesks =
  { readonly lifecycle: PolicyLifecycle; readonly proposals: ProposalDesk } | { readonly kind: 'off' };

type Off = { kind: 'off' };
type Told<E extends Exchange> = Promise<AnswerOf<E>> | AnswerOf<E>;

/** API.md 6: what administers policies. */
@Controller()
export class PoliciesController {
  constructor(@Inject(POLICY_DESKS) private readonly desks: PolicyDesks) {}

  @Answers(readPolicies)
  read({ tenant }: AskOf<typeof readPolicies>): AnswerOf<typeof readPolicies> {
    return this.lifecycle((it) => it.read(tenant));
  }

  @Answers(validatePolicies)
  validate(ask: AskOf<typeof validatePolicies>): Told<typeof validatePolicies> {
    return this.lifecycle((it) => it.validate(ask));
  }

  @Answers(writePolicies)
  write(ask: AskOf<typeof writePolicies>): Told<typeof writePolicies> {
    return this.lifecycle((it) => it.write(ask));
  }

  @Answers(listPolicyVersions)
  versions({ tenant }: AskOf<typeof listPolicyVersions>): Told<typeof listPolicyVersions> {
    return this.lifecycle((it) => it.versions(tenant));
  }

  @Answers(readPolicySchema)
  schema({ tenant }: AskOf<typeof readPolicySchema>): AnswerOf<typeof readPolicySchema> {
    return this.lifecycle((it) => it.schema(tenant));
  }

  @Answers(proposePolicies)
  propose(ask: AskOf<typeof proposePolicies>): Told<typeof proposePolicies> {
    return this.proposals((it) => it.propose(ask));
  }

  @Answers(listProposals)
  list({ tenant }: AskOf<typeof listProposals>): Told<typeof listProposals> {
    return this.proposals((it) => it.list(tenant));
  }

  @Answers(readProposal)
  proposal(ask: AskOf<typeof readProposal>): Told<typeof readProposal> {
    return this.proposals((it) => it.read(ask));
  }

  @Answers(withdrawProposal)
  withdraw(ask: AskOf<typeof withdrawProposal>): Told<typeof withdrawProposal> {
    return this.proposals((it) => it.withdraw(ask));
  }

  private lifecycle<T>(work: (lifecycle: PolicyLifecycle) => T): T | Off {
    return 'kind' in this.desks ? { kind: 'off' } : work(this.desks.lifecycle);
  }

  private proposals<T>(work: (proposals: ProposalDesk) => T): T | Off {
    return 'kind' in this.desks ? { kind: 'off' } : work(this.desks.proposals);
  }
}
