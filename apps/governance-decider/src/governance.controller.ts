import { Controller, Inject } from '@nestjs/common';
import { Answers } from '@uar/bus';
import {
  TenantId,
  authorizeActions,
  decideCall,
  decideItem,
  discoverTools,
  issueGrant,
  readGovernanceStatus,
  type AnswerOf,
  type AskOf,
} from '@uar/contracts';
import { CallDesk } from './domain/decide/call-desk.js';
import type { Judge } from './domain/decide/verdict.js';
import type { GovernanceState } from './domain/governance-state.js';
import { GOVERNANCE_STATE, JUDGE } from './tokens.js';

@Controller()
export class GovernanceController {
  constructor(
    @Inject(CallDesk) private readonly desk: CallDesk,
    @Inject(JUDGE) private readonly judge: Judge,
    @Inject(GOVERNANCE_STATE) private readonly state: GovernanceState,
  ) {}

  @Answers(decideCall)
  decide(ask: AskOf<typeof decideCall>): Promise<AnswerOf<typeof decideCall>> {
    return this.desk.decide(ask);
  }

  @Answers(decideItem)
  decideItem(ask: AskOf<typeof decideItem>): Promise<AnswerOf<typeof decideItem>> {
    return this.desk.decideItem(ask);
  }

  @Answers(issueGrant)
  issue(ask: AskOf<typeof issueGrant>): AnswerOf<typeof issueGrant> {
    return this.desk.issue(ask);
  }

  @Answers(discoverTools)
  async discover({ caller, tools }: AskOf<typeof discoverTools>): Promise<AnswerOf<typeof discoverTools>> {
    const policy_version = this.judge.versionFor(caller.principal.tenant);
    return { policy_version, tools: [...(await this.judge.sights(caller, tools))] };
  }

  @Answers(authorizeActions)
  async authorize(ask: AskOf<typeof authorizeActions>): Promise<AnswerOf<typeof authorizeActions>> {
    const policy_version = this.judge.versionFor(ask.caller.principal.tenant);
    const verdicts = await this.judge.judgeActions(ask.caller, ask.questions);
    const decisions = verdicts.map((verdict) =>
      verdict.kind === 'allow' ? verdict : { ...verdict, determining: [...verdict.determining] },
    );
    return { policy_version, decisions };
  }

  @Answers(readGovernanceStatus)
  status(): AnswerOf<typeof readGovernanceStatus> {
    const sets = this.state.sets().map((set) => ({ ...set, tenant: TenantId.parse(set.tenant) }));
    const of_tenants = this.state
      .ofTenants()
      .map(({ tenant, problem }) => ({ tenant: TenantId.parse(tenant), problem }));
    return { governance: this.state.governance, sets, problems: [...this.state.common()], of_tenants };
  }
}
