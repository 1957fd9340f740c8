import type { ApprovalId, CallDecision, GrantTarget } from '@uar/contracts';
import { missing, over, passed, type Passed } from '../call/ending.js';
import { decisionFacts } from '../call/decision-facts.js';
import type { Permission } from '../call/permission.js';
import type { Approvals, Catalog, Clock, Pdp, Unavailable } from '../call/ports.js';
import type { RunningCall } from '../call/running-call.js';
import type { StagedCall } from '../call/staging.js';
import { placedTool, type Placement } from '../dispatch/placement.js';
import { intentOf, type ReceiptSetting } from '../receipt/receipt-bodies.js';
import { reenter } from '../run/reentry.js';
import type { Runs } from '../run/runs.js';
import { endOfStatus } from './settlement.js';
import { voided } from './void-approvals.js';

const decisionMs = 2_000;
const expirySkewMs = 30_000;

interface Fresh {
  readonly staged: StagedCall;
  readonly target: GrantTarget;
  readonly ticket: string;
}

/** Stage 7 of an approved call, in the order of DESIGN.md 3: (a) decided anew, (b) consumed with the intent, (c) granted. */
export class Release {
  constructor(
    private readonly parts: {
      readonly pdp: Pdp;
      readonly approvals: Approvals;
      readonly catalog: Catalog;
      readonly runs: Runs;
      readonly placement: Placement;
      readonly clock: Clock;
      readonly setting: ReceiptSetting;
    },
  ) {}

  /** Undefined when the call was interrupted meanwhile: the record is still to be ended. */
  async permit(
    call: RunningCall,
    staged: StagedCall,
    approvalId: ApprovalId,
  ): Promise<Passed<Permission> | undefined> {
    const fresh = await this.decideAnew(call, staged, approvalId);
    if (call.interruption !== undefined) return undefined;
    if (fresh.kind === 'over') return fresh;
    const { target, ticket } = fresh.value;
    call.target = target;
    const consumed = await this.parts.approvals.consume({
      approval_id: approvalId,
      call_id: call.callId,
      arguments_digest: staged.argumentsDigest,
      definition_digest: staged.entry.facts.definition_digest,
      intent: intentOf(call, this.parts.setting, this.parts.clock.now()),
    });
    if (consumed.kind === 'unavailable') return missing(consumed);
    if (consumed.kind === 'refused') return endOfStatus(consumed.status);
    call.intent = consumed.intent;
    if (call.interruption !== undefined) return undefined;
    const grant = await this.grant(ticket, target);
    if (typeof grant !== 'string') return missing(grant);
    return passed({ grant, target, regrant: (other) => this.grant(ticket, other) });
  }

  private async decideAnew(
    call: RunningCall,
    staged: StagedCall,
    approvalId: ApprovalId,
  ): Promise<Passed<Fresh>> {
    const stale = this.staleness(call, staged) ?? (await reenter(call, staged.entry, this.parts.runs));
    if (stale !== undefined) return this.spend(approvalId, stale);
    if (call.release === undefined)
      return this.spend(approvalId, over('unavailable', { cause: 'votes_not_reviewed' }));
    const target = this.parts.placement.place(call, placedTool(staged.entry), []);
    if (target === undefined)
      return this.spend(approvalId, over('unavailable', { cause: 'no_host_instance' }));
    const decision = await this.parts.pdp.decide(
      {
        question: {
          call_id: call.callId,
          caller: call.caller,
          tool: staged.entry.facts,
          arguments_json: call.proposed.argumentsJson,
          arguments_digest: staged.argumentsDigest,
        },
        target,
        approval: { approval_id: approvalId, ...call.release },
      },
      Math.min(decisionMs, call.deadlineAt - this.parts.clock.now()),
    );
    return this.judge(call, { staged, target, approvalId }, decision);
  }

  private judge(
    call: RunningCall,
    { staged, target, approvalId }: { staged: StagedCall; target: GrantTarget; approvalId: ApprovalId },
    decision: CallDecision | Unavailable,
  ): Passed<Fresh> | Promise<Passed<Fresh>> {
    if (decision.kind === 'unavailable') return this.spend(approvalId, missing(decision));
    call.decision = decisionFacts(decision);
    switch (decision.kind) {
      case 'deny':
        return this.spend(approvalId, over(deniedAs(decision.outcome), { cause: decision.cause }));
      case 'require_approval':
        return this.spend(approvalId, over('policy_denied', { cause: 'not_released' }));
      case 'allow':
        if (decision.ticket === undefined)
          return this.spend(approvalId, over('unavailable', { cause: 'no_ticket' }));
        return passed({ staged, target, ticket: decision.ticket });
    }
  }

  /** What changed while a human thought, seen from here; the PDP looks again at everything else. */
  private staleness(call: RunningCall, { entry }: StagedCall): Passed<never> | undefined {
    const { principal } = call.caller;
    if (principal.expires_at + expirySkewMs <= this.parts.clock.now())
      return over('policy_denied', { cause: 'principal_expired' });
    const now = this.parts.catalog.find(principal.tenant, entry.name);
    if (now === undefined) return over('unavailable', { cause: 'tool_gone' });
    const cause = voided(entry, now);
    return cause === undefined ? undefined : over('quarantined', { cause });
  }

  private async spend(approvalId: ApprovalId, end: Passed<never>): Promise<Passed<never>> {
    await this.parts.approvals.end(approvalId, 'spent');
    return end;
  }

  private async grant(ticket: string, target: GrantTarget): Promise<string | Unavailable> {
    const answer = await this.parts.pdp.grant({ ticket, target });
    switch (answer.kind) {
      case 'granted':
        return answer.grant;
      case 'refused':
        return { kind: 'unavailable', cause: `grant_refused: ${answer.cause}` };
      case 'unavailable':
        return answer;
    }
  }
}

/** The caller saw the tool when it asked: hiding it now is a denial to it, not an unknown name. */
function deniedAs(outcome: Extract<CallDecision, { kind: 'deny' }>['outcome']): typeof outcome {
  return outcome === 'unknown_tool' ? 'policy_denied' : outcome;
}
