import {
  agentOf,
  type ActionQuestion,
  type CallQuestion,
  type Caller,
  type ItemQuestion,
  type Principal,
  type ToolFacts,
} from '@uar/contracts';
import type { Directory, TenantFacts } from '../question/directory.js';
import { partyUsers } from './actions.js';
import { barredBy, type Party } from './barred.js';
import { isExpired, refusalOfItems, refusalOfPrincipal, refusalOfTool } from './before-cedar.js';
import { callUnderRun, releaseUnderRun, sightUnderRun } from './run-limits.js';
import {
  deny,
  type ActionVerdict,
  type CallVerdict,
  type DenialCause,
  type Judge,
  type Judged,
  type JudgedItem,
  type ToolSight,
  type Votes,
} from './verdict.js';

/**
 * What remains where an operator switched Cedar off (DESIGN.md 2; profile minimal on loopback alone): tenant, capability,
 * quarantine, risk, and approval by role `admin`.
 */
export class PlainJudge implements Judge {
  readonly governance = 'off';

  constructor(private readonly parts: { readonly directory: Directory; readonly now: () => number }) {}

  versionFor(): string {
    return 'off';
  }

  barred(party: Party): ReturnType<typeof barredBy> {
    return barredBy(this.parts.directory, party);
  }

  judgeCall(question: CallQuestion): Promise<Judged> {
    const verdict = callUnderRun(this.callVerdict(question), question.caller);
    return Promise.resolve({ version: this.versionFor(), verdict });
  }

  judgeRelease(question: CallQuestion, votes: Votes): Promise<Judged> {
    const verdict = this.releaseVerdict(question, votes);
    return Promise.resolve(releaseUnderRun({ version: this.versionFor(), verdict }, question.caller));
  }

  sights(caller: Caller, tools: readonly ToolFacts[]): Promise<readonly ToolSight[]> {
    return Promise.resolve(
      tools.map((tool) => {
        if (this.hiddenCause(caller, tool) !== undefined) return { kind: 'hidden' };
        const approval = this.gates(tool).length > 0 ? 'always' : 'never';
        return sightUnderRun({ kind: 'visible', approval }, caller);
      }),
    );
  }

  judgeItem({ caller }: ItemQuestion): Promise<JudgedItem> {
    const cause = isExpired(caller, this.parts.now()) ? 'principal_expired' : this.itemRefusal(caller);
    const verdict =
      cause === undefined
        ? { kind: 'allow' as const, determining: [] }
        : { kind: 'deny' as const, cause, determining: [] };
    return Promise.resolve({ version: this.versionFor(), verdict });
  }

  /** Role `admin` administers and approves; everybody lists, and sees what it asked for. */
  judgeActions(caller: Caller, questions: readonly ActionQuestion[]): Promise<readonly ActionVerdict[]> {
    return Promise.resolve(questions.map((question) => this.actionVerdict(caller, question)));
  }

  private callVerdict(question: CallQuestion): CallVerdict {
    const expired = refusalOfPrincipal(question, this.parts.now());
    if (expired !== undefined) return expired;
    const hidden = this.hiddenCause(question.caller, question.tool);
    if (hidden !== undefined) return deny('unknown_tool', hidden);
    const refused = refusalOfTool(question);
    if (refused !== undefined) return refused;
    if (this.tenantOf(question.tool).killSwitch) return deny('policy_denied', 'kill_switch');
    const reasons = this.gates(question.tool);
    if (reasons.length === 0) return { kind: 'allow', determining: [] };
    return { kind: 'require_approval', determining: [], reasons };
  }

  private releaseVerdict(question: CallQuestion, votes: Votes): CallVerdict {
    const call = callUnderRun(this.callVerdict(question), question.caller);
    if (call.kind !== 'require_approval') return call;
    const approvers = votes.votes.filter(
      ({ principal }) => isAdmin(principal, question.tool.tenant) && !this.isSuspended(principal),
    );
    const distinct = new Set(approvers.map(({ principal }) => principal.subject));
    const isReleased = distinct.size >= question.tool.quorum && this.parts.now() < votes.expiresAt;
    return isReleased ? { kind: 'allow', determining: [] } : call;
  }

  private hiddenCause(caller: Caller, tool: ToolFacts): DenialCause | undefined {
    const { principal } = caller;
    if (principal.tenant !== tool.tenant) return 'other_tenant';
    const agentId = agentOf(principal);
    const agent = agentId === undefined ? undefined : this.parts.directory.agent(principal.tenant, agentId);
    if (agentId !== undefined && agent === undefined) return 'agent_unknown';
    if (agent !== undefined && tool.risk > agent.maxRisk) return 'above_agent_risk';
    if (this.isSuspended(principal)) return 'suspended';
    const isOffered = tool.enabled && this.tenantOf(tool).enabledFamilies.includes(tool.family);
    return isOffered ? undefined : 'tool_disabled';
  }

  private isSuspended(principal: Principal): boolean {
    const { directory } = this.parts;
    const { tenant, subject, kind } = principal;
    const agentId = agentOf(principal);
    const isAgent = agentId !== undefined && directory.agent(tenant, agentId)?.suspended === true;
    return isAgent || (kind === 'user' && directory.isUserSuspended(tenant, subject));
  }

  private gates(tool: ToolFacts): readonly string[] {
    const isRisky = tool.risk > this.tenantOf(tool).maxUnattendedRisk;
    const mayDestroy = tool.destructive || (!tool.hints_trusted && !tool.read_only);
    return [
      ...(isRisky ? ['risk tier is above what the tenant lets run unattended'] : []),
      ...(mayDestroy ? ['tool may destroy data'] : []),
    ];
  }

  private tenantOf(tool: ToolFacts): TenantFacts {
    return this.parts.directory.tenant(tool.tenant);
  }

  /** Everybody of the tenant reads, as everybody calls what needs nothing but to read. */
  private itemRefusal(caller: Caller): DenialCause | undefined {
    const { directory } = this.parts;
    const { tenant } = caller.principal;
    const agentId = agentOf(caller.principal);
    if (agentId !== undefined && directory.agent(tenant, agentId) === undefined) return 'agent_unknown';
    if (this.isSuspended(caller.principal)) return 'suspended';
    if (directory.tenant(tenant).killSwitch) return 'kill_switch';
    return refusalOfItems(caller);
  }

  private actionVerdict(caller: Caller, question: ActionQuestion): ActionVerdict {
    const { principal } = caller;
    if (question.kind === 'item') {
      const cause = this.itemRefusal(caller);
      return cause === undefined ? { kind: 'allow' } : { kind: 'deny', cause, determining: [] };
    }
    if (this.isSuspended(principal)) return { kind: 'deny', cause: 'suspended', determining: [] };
    if (question.kind === 'list_tools') return { kind: 'allow' };
    const tenant = question.kind === 'approval' ? question.resource.tenant : principal.tenant;
    if (isAdmin(principal, tenant)) return { kind: 'allow' };
    if (question.kind === 'approval' && question.action === 'viewApproval') {
      const parties = question.resource.parties.flatMap((party) => partyUsers(party, this.parts.directory));
      const own = partyUsers(principal, this.parts.directory).map(({ id }) => id);
      if (parties.some(({ id }) => own.includes(id))) return { kind: 'allow' };
    }
    return { kind: 'deny', cause: 'not_permitted', determining: [] };
  }
}

/** A person with the role; an agent never decides, whomever it acts for. */
function isAdmin(principal: Principal, tenant: string): boolean {
  const isPerson = principal.kind === 'user' && principal.agent_id === undefined;
  return isPerson && principal.tenant === tenant && principal.roles.includes('admin');
}
