import type { ApprovalStatus } from '@uar/contracts';

/** What can happen to an approval besides its creation. */
export type ApprovalEvent =
  'release' | 'reject' | 'consume' | 'spend' | 'cancel' | 'close_channel' | 'expire';

/** One conditional write: from whichever of these it stands in, or not at all. */
export interface ApprovalStep {
  readonly from: readonly ApprovalStatus[];
  readonly to: ApprovalStatus;
}

/**
 * The state machine. What is in no `from` is an end: rejected, expired, cancelled, channel_closed, consumed. `spend` is a
 * use without a call: policy refused at consumption, and the approval must never be used again.
 */
export const approvalSteps: Readonly<Record<ApprovalEvent, ApprovalStep>> = {
  release: { from: ['pending'], to: 'approved' },
  reject: { from: ['pending'], to: 'rejected' },
  consume: { from: ['approved'], to: 'consumed' },
  spend: { from: ['approved'], to: 'consumed' },
  cancel: { from: ['pending', 'approved'], to: 'cancelled' },
  close_channel: { from: ['pending', 'approved'], to: 'channel_closed' },
  expire: { from: ['pending', 'approved'], to: 'expired' },
};

/** Where an event takes a record, or undefined when it changes nothing. */
export function afterEvent(status: ApprovalStatus, event: ApprovalEvent): ApprovalStatus | undefined {
  const step = approvalSteps[event];
  return step.from.includes(status) ? step.to : undefined;
}

/** What a record counts as now: one whose time is over is expired, whether that was written already or not. */
export function statusAt(
  record: { status: ApprovalStatus; draft: { expires_at: number } },
  now: number,
): ApprovalStatus {
  const ended = record.draft.expires_at <= now ? afterEvent(record.status, 'expire') : undefined;
  return ended ?? record.status;
}
