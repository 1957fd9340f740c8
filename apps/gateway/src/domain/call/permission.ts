import type { CallDecision, CatalogEntry, GrantTarget } from '@uar/contracts';
import type { ReceiptSetting } from '../receipt/receipt-bodies.js';
import { intentOf } from '../receipt/receipt-bodies.js';
import { placedTool, type Placement } from '../dispatch/placement.js';
import type { ApprovalStage, Joined } from '../approval/approval-stage.js';
import { decisionFacts } from './decision-facts.js';
import { endedInOurPlace, missing, over, passed, type Passed } from './ending.js';
import { interruptedEnd } from './interruption.js';
import type { Clock, DecisionAsk, Pdp, Receipts, Unavailable } from './ports.js';
import type { RunningCall } from './running-call.js';
import type { StagedCall } from './staging.js';

/** What a host needs to execute the call, and how to get another one for another instance. */
export interface Permission {
  readonly grant: string;
  readonly target: GrantTarget;
  regrant(target: GrantTarget): Promise<string | Unavailable>;
}

const decisionMs = 2_000;

/** Stages 5 to 7: decided, asked where a human must be, intent on record, granted. */
export class PermissionStage {
  constructor(
    private readonly parts: {
      readonly pdp: Pdp;
      readonly receipts: Receipts;
      readonly approvals: ApprovalStage;
      readonly placement: Placement;
      readonly clock: Clock;
      readonly setting: ReceiptSetting;
    },
  ) {}

  async permit(call: RunningCall, staged: StagedCall): Promise<Passed<Permission> | Joined> {
    const target = this.parts.placement.place(call, placedTool(staged.entry), []);
    const decision = await this.decide(call, staged, target);
    if (decision.kind === 'unavailable') return missing(decision);
    const end = interruptedEnd(call);
    if (end !== undefined) return end;
    switch (decision.kind) {
      case 'deny':
        return over(decision.outcome, { cause: decision.cause });
      case 'require_approval':
        if (target === undefined) return over('unavailable', { cause: 'no_host_instance' });
        return this.parts.approvals.release(call, staged, decision);
      case 'allow':
        if (target === undefined || decision.grant === undefined)
          return over('unavailable', { cause: target === undefined ? 'no_host_instance' : 'no_grant' });
        return this.recordIntent(call, staged, { grant: decision.grant, target });
    }
  }

  private async recordIntent(
    call: RunningCall,
    staged: StagedCall,
    { grant, target }: Pick<Permission, 'grant' | 'target'>,
  ): Promise<Passed<Permission>> {
    call.target = target;
    if (needsIntent(staged.entry)) {
      const { receipts, setting, clock } = this.parts;
      const intent = await receipts.intent(intentOf(call, setting, clock.now()));
      if ('kind' in intent) return missing(intent);
      if (intent.refused) return endedInOurPlace();
      call.intent = intent;
      const end = interruptedEnd(call);
      if (end !== undefined) return end;
    }
    return passed({ grant, target, regrant: (other) => this.regrant(call, staged, other) });
  }

  private async regrant(
    call: RunningCall,
    staged: StagedCall,
    target: GrantTarget,
  ): Promise<string | Unavailable> {
    const decision = await this.decide(call, staged, target);
    if (decision.kind === 'unavailable') return decision;
    if (decision.kind === 'allow' && decision.grant !== undefined) return decision.grant;
    return { kind: 'unavailable', cause: 'no_second_grant' };
  }

  private async decide(
    call: RunningCall,
    { entry, argumentsDigest }: StagedCall,
    target: GrantTarget | undefined,
  ): Promise<CallDecision | Unavailable> {
    const ask: DecisionAsk = {
      question: {
        call_id: call.callId,
        caller: call.caller,
        tool: entry.facts,
        arguments_json: call.proposed.argumentsJson,
        arguments_digest: argumentsDigest,
      },
      ...(target === undefined ? {} : { target }),
    };
    const withinMs = Math.min(decisionMs, call.deadlineAt - this.parts.clock.now());
    const decision = await this.parts.pdp.decide(ask, withinMs);
    if (decision.kind !== 'unavailable') call.decision = decisionFacts(decision);
    return decision;
  }
}

/** `network` alone changes nothing of ours (DESIGN.md 11). */
function needsIntent({ facts }: CatalogEntry): boolean {
  return facts.capabilities.some((it) => it === 'write' || it === 'execute' || it === 'memory');
}
