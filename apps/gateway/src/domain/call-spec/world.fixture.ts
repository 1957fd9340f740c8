import { CallId, InstanceId } from '@uar/contracts';
import { ApprovalStage } from '../approval/approval-stage.js';
import { Release } from '../approval/release.js';
import { VoteReview } from '../approval/vote-review.js';
import { PermissionStage } from '../call/permission.js';
import { Pipeline } from '../call/pipeline.js';
import type { CallHandle, ProposedCall } from '../call/proposed-call.js';
import { Slots } from '../call/slots.js';
import { Staging } from '../call/staging.js';
import { ToolStages } from '../call/tool-stages.js';
import { Dispatcher } from '../dispatch/dispatcher.js';
import { Placement } from '../dispatch/placement.js';
import { ItemStages } from '../item/item-stages.js';
import { caller, hex, needsHuman, settle } from './facts.fixture.js';
import { PortsInMemory } from './ports.fixture.js';

/** The pipeline over ports that are plain values in memory. */
export class World extends PortsInMemory {
  private ids = 0;
  readonly pipeline = this.assembled(8);
  readonly votesReview = new VoteReview(this.room, this);

  propose(tool = 'srv__read', changes: Partial<ProposedCall> = {}): CallHandle {
    return this.pipeline.propose({ caller, toolName: tool, argumentsJson: '{"a":1}', ...changes });
  }

  /** Proposes a call and lets it come to wait for a human. */
  async waiting(changes: Partial<ProposedCall> = {}): Promise<{ handle: CallHandle; approvalId: string }> {
    this.decideWith = needsHuman;
    const handle = this.propose('srv__write', changes);
    await settle();
    return { handle, approvalId: [...this.records.keys()].at(-1) ?? '' };
  }

  assembled(most: number): Pipeline {
    const setting = {
      profile: 'minimal' as const,
      governance: 'on' as const,
      digest: () => `sha256:${'0'.repeat(64)}`,
    };
    const placement = new Placement(this, this.clock);
    const slots = new Slots(most);
    const fault = (error: unknown): string => `fault_${this.faults.push(error)}`;
    const ports = { pdp: this, approvals: this, catalog: this, runs: this };
    const common = { ...ports, placement, clock: this.clock, setting };
    const dispatcher = new Dispatcher({
      ...{ ...common, hosts: this, fault, mostResultBytes: 1_000 },
      callerTokens: { forHost: () => this.callerToken?.() ?? Promise.resolve(undefined) },
    });
    const approvalStage = new ApprovalStage({
      ...common,
      room: this.room,
      release: new Release(common),
      slots,
      gateway: InstanceId.parse('f'.repeat(16)),
      timeoutMs: 300_000,
      newApprovalId: () => `appr_${hex(++this.ids)}`,
      pageUrl: (approvalId) => `https://uar.example/approvals/${approvalId}`,
    });
    return new Pipeline({
      ...common,
      stages: {
        tool: new ToolStages({
          staging: new Staging({ ...common, schemas: this, mostArgumentBytes: 1_024 }),
          permission: new PermissionStage({ ...common, receipts: this, approvals: approvalStage }),
          dispatcher,
        }),
        item: new ItemStages({ ...common, dispatcher, mostParamBytes: 1_024 }),
      },
      receipts: this,
      room: this.room,
      limits: { refusal: (...ask) => this.callLimits.refusal(...ask) },
      slots,
      fault,
      onEnd: () => undefined,
      events: this,
      newCallId: () => CallId.parse(`call_${hex(++this.ids)}`),
    });
  }
}
