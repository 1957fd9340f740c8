import {
  CallView,
  effectOf,
  outcomes,
  type AppendedReceipt,
  type Outcome,
  type Receipt,
  type ReceiptBody,
  type TenantId,
} from '@uar/contracts';
import { z } from 'zod';
import { approvalView } from './approval-view.js';
import type { Announcer, ApprovalRecord, Clock, RecoveryStore } from './ports.js';

type PendingView = Awaited<ReturnType<RecoveryStore['readPendingViews']>>[number];

/** So many receipts at most wait for others to be written. */
const atOnce = 100;
const unknownEnd = 'transport_failure';
const viewText = z
  .string()
  .transform((text, context) => {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      context.addIssue('no JSON');
      return z.NEVER;
    }
  })
  .pipe(CallView);

/** Whoever follows the runs of these calls is told of their end. */
export interface EndEvents {
  note(outcomes: readonly ReceiptBody[]): Promise<void>;
}

export interface RecoveryParts {
  readonly store: RecoveryStore;
  readonly announcer: Announcer;
  readonly events: EndEvents;
  readonly clock: Clock;
  /** What receipts say of this deployment. */
  readonly setting: Pick<ReceiptBody, 'governance' | 'profile'>;
}

/**
 * Ends what a gateway that is gone left open: each call gets its one outcome, each approval its end, and no kept view says
 * pending any more. Nothing is executed. Whatever the gateway says later, should it come back, comes too late.
 */
export class Recovery {
  constructor(private readonly parts: RecoveryParts) {}

  openGateways(): Promise<readonly string[]> {
    return this.parts.store.openGateways({ now: this.parts.clock.now() });
  }

  /** Answers how many calls and views it ended. */
  async close(gateway: string): Promise<{ readonly calls: number; readonly views: number }> {
    const told: ReceiptBody[] = [];
    const calls = await this.closeCalls(gateway, told);
    const views = await this.endViews(gateway, told);
    // Last: whoever waits for an end waits for its record, not for what is told of it.
    await this.parts.events.note(told);
    return { calls, views };
  }

  private async closeCalls(gateway: string, told: ReceiptBody[]): Promise<number> {
    const { store, announcer, clock, setting } = this.parts;
    let calls = 0;
    for (;;) {
      const closed = await store.closeOpenCalls({ gateway, limit: atOnce, setting, now: clock.now() });
      for (const record of closed.settled) announcer.settled(record);
      told.push(...closed.outcomes);
      calls += closed.count;
      if (closed.count < atOnce) return calls;
    }
  }

  private async endViews(gateway: string, told: ReceiptBody[]): Promise<number> {
    const { store, clock } = this.parts;
    let views = 0;
    for (;;) {
      const pending = await store.readPendingViews({ gateway, limit: atOnce, now: clock.now() });
      for (const view of pending)
        await store.endPendingView({ ...view, gateway, view_json: await this.ended(view, told) });
      views += pending.length;
      if (pending.length < atOnce) return views;
    }
  }

  /** As the call's one outcome says; a call that nobody ended and nobody asked about may have run. */
  private async ended(pending: PendingView, told: ReceiptBody[]): Promise<string> {
    const { tenant, principal } = pending;
    const view = readView(pending);
    const body = this.outcome(tenant, principal, view);
    const [place] = await this.parts.store.appendReceipts({ receipts: [body] });
    const receipt = place && (await this.receiptAt(tenant, place));
    const outcome = receipt?.outcome ?? unknownEnd;
    told.push(receipt ?? body);
    const approval = view.approval && (await this.approvalNow(view.approval.approval_id));
    return JSON.stringify({
      ...view,
      outcome,
      effect: effectOf(outcome),
      success: outcome === 'completed',
      result: null,
      error: errorOf(outcome),
      approval: approval ?? null,
      receipt: receipt === undefined ? null : { seq: receipt.seq, hash: receipt.hash },
    });
  }

  private outcome(tenant: TenantId, principal: string, { call_id, run_id, decision }: CallView): ReceiptBody {
    return {
      at: new Date(this.parts.clock.now()).toISOString(),
      kind: 'outcome',
      call_id,
      ...(run_id === undefined ? {} : { run_id }),
      tenant,
      principal,
      ...(decision === null ? {} : { policy_version: decision.policy_version }),
      ...this.parts.setting,
      outcome: unknownEnd,
      effect: effectOf(unknownEnd),
      cause: 'gateway_gone',
    };
  }

  private async receiptAt(tenant: TenantId, { seq }: AppendedReceipt): Promise<Receipt | undefined> {
    const found = await this.parts.store.readReceipt({ tenant, seq });
    return found.kind === 'found' ? found.receipt : undefined;
  }

  private async approvalNow(approvalId: string) {
    const record: ApprovalRecord | undefined = await this.parts.store.readApproval({ approvalId });
    return record && approvalView(record, this.parts.clock.now());
  }
}

/** One that nobody can read (of an older version, under another key) must not keep the others from their end. */
function readView({ call_id, view_json }: PendingView): CallView {
  const read = viewText.safeParse(view_json);
  if (read.success) return read.data;
  return {
    ...{ call_id, tool: 'unknown', outcome: 'pending', effect: null, success: false, result: null },
    ...{ error: null, decision: null, approval: null, receipt: null, duration_ms: 0 },
  };
}

function errorOf(outcome: Outcome): CallView['error'] {
  if (outcome === 'completed' || outcome === 'tool_error')
    return { code: 'result_not_kept', message: 'The result is not kept.' };
  return { code: outcome, message: outcomes[outcome].text };
}
