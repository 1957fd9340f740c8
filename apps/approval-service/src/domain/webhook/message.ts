import { createHmac } from 'node:crypto';
import type { ApprovalStatus, DeliveryEvent } from '@uar/contracts';
import { approvalView } from '../approval-view.js';
import type { ApprovalRecord } from '../ports.js';

/** A message to the webhook that is due, with the approval that it is about. */
export interface MessageFacts {
  readonly deliveryId: string;
  readonly event: DeliveryEvent;
  readonly approvalStatus: ApprovalStatus;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly approval: ApprovalRecord;
}

/**
 * The body of format `uar`, the same at each attempt: who asks to run what, and how far it is. Never arguments, nor what
 * shows them.
 */
export function uarBody(facts: MessageFacts): string {
  const { draft } = facts.approval;
  const { approval_id, call_id, run_id, tool, server, requester, risk, rule, created_at, expires_at } =
    approvalView(facts.approval, facts.createdAt);
  return JSON.stringify({
    id: facts.deliveryId,
    event: facts.event,
    at: new Date(facts.createdAt).toISOString(),
    tenant: draft.requester.tenant,
    approval: {
      ...{ approval_id, call_id, run_id, tool, server, requester, risk, rule },
      status: facts.approvalStatus,
      ...{ created_at, expires_at },
      ...(draft.page_url === undefined ? {} : { url: draft.page_url }),
    },
  });
}

/** Headers that let the receiver know who sent a body, when, and whether it has seen it before (docs/webhooks.md). */
export function signedHeaders(
  signed: { readonly deliveryId: string; readonly body: string },
  secret: string,
  nowMs: number,
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(nowMs / 1_000));
  const signature = createHmac('sha256', secret).update(`${timestamp}.${signed.body}`).digest('hex');
  return {
    'uar-webhook-id': signed.deliveryId,
    'uar-webhook-timestamp': timestamp,
    'uar-webhook-signature': `v1=${signature}`,
  };
}
