import type { ApprovalDraft, ApprovalStatus } from '@uar/contracts';
import { over, type Passed } from '../call/ending.js';
import type { Approvals, Clock } from '../call/ports.js';
import type { RunningCall } from '../call/running-call.js';

export type Settlement =
  | { readonly kind: 'settled'; readonly status: ApprovalStatus }
  | { readonly kind: 'expired' }
  | { readonly kind: 'interrupted' };

/** An announcement may be lost; the record itself is asked this often. */
const lookAgainMs = 3_000;

/** Waits until the record leaves `pending` (and, approved, somebody wants the result), it expires, or the call is interrupted. */
export function settlement(
  call: RunningCall,
  record: Pick<ApprovalDraft, 'approval_id' | 'expires_at'>,
  { approvals, clock }: { readonly approvals: Approvals; readonly clock: Clock },
): Promise<Settlement> {
  const { approval_id: approvalId, expires_at: expiresAt } = record;
  return new Promise((resolve) => {
    const ends: (() => void)[] = [];
    let endPolling = (): void => undefined;
    let status: ApprovalStatus = 'pending';
    const finish = (end: Settlement): void => {
      endPolling();
      for (const stop of ends) stop();
      resolve(end);
    };
    const look = (): void => {
      if (call.interruption !== undefined) return finish({ kind: 'interrupted' });
      const mayGoOn = status !== 'pending' && (status !== 'approved' || call.isWanted());
      if (mayGoOn) finish({ kind: 'settled', status });
    };
    const hear = (heard: ApprovalStatus): void => {
      status = heard;
      if (heard !== 'pending') call.settle(heard);
      look();
    };
    const poll = (): void => {
      endPolling = clock.after(lookAgainMs, () => {
        poll();
        void askStatus(approvals, call, approvalId).then((asked) => asked !== undefined && hear(asked));
      });
    };
    ends.push(approvals.onSettled(approvalId, hear), call.onStir(look));
    ends.push(clock.after(Math.max(0, expiresAt - clock.now()), () => finish({ kind: 'expired' })));
    poll();
    look();
  });
}

async function askStatus(
  approvals: Approvals,
  call: RunningCall,
  approvalId: string,
): Promise<ApprovalStatus | undefined> {
  const found = await approvals.status({ approval_id: approvalId, call_id: call.callId });
  return found.kind === 'found' ? found.status : undefined;
}

/** How a call ends whose record is not `approved`. */
export function endOfStatus(status: ApprovalStatus | 'mismatch'): Passed<never> {
  switch (status) {
    case 'rejected':
      return over('approval_rejected');
    case 'expired':
      return over('approval_timeout');
    case 'cancelled':
      return over('cancelled');
    case 'channel_closed':
      return over('channel_closed');
    case 'mismatch':
      return over('policy_denied', { cause: 'approval_mismatch' });
    case 'pending':
    case 'approved':
    case 'consumed':
      return over('unavailable', { cause: `approval_${status}` });
  }
}
