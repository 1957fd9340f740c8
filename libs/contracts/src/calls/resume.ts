import { z } from 'zod';
import { exchange } from '../exchange.js';
import { ApprovalId, CallId } from '../ids.js';
import { ReceiptPosition } from '../ledger/receipt.js';
import { Caller } from '../principal.js';
import { ApprovalView } from './approval.js';
import { Outcome } from './outcome.js';

/** How a call ended, as far as its caller is told. */
const ResumedEnd = z.strictObject({
  call_id: CallId,
  outcome: Outcome,
  message: z.string(),
  details: z.unknown().optional(),
  /** CallToolResult as the upstream sent it. */
  result_json: z.string().optional(),
  upstream_error: z
    .strictObject({ code: z.number(), message: z.string(), data_json: z.string().optional() })
    .optional(),
  intent: ReceiptPosition.nullable(),
  retry_after_ms: z.number().optional(),
  fault_id: z.string().optional(),
});

/**
 * Asked of the gateway that holds a call which waits for a human, by the one to which its caller came back: waits `wait_ms` for
 * the human, and without limit for the end of what they allow.
 */
export const resumeCall = exchange({
  subject: 'uar.v1.gateway.call.resume',
  reach: 'instance',
  ask: z.strictObject({
    /** Names this ask to `leaveCall`. */
    ask_id: z.uuid(),
    caller: Caller,
    call_id: CallId,
    approval_id: ApprovalId,
    wait_ms: z.number().int().min(0).max(3_600_000),
  }),
  answer: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('pending'), approval: ApprovalView }),
    z.strictObject({ kind: z.literal('ended'), ended: ResumedEnd }),
    /** No call of this caller, or not any more. */
    z.strictObject({ kind: z.literal('unknown') }),
  ]),
  deadlineMs: 7_260_000,
});

/** The caller that came back left again. */
export const leaveCall = exchange({
  subject: 'uar.v1.gateway.call.leave',
  reach: 'instance',
  ask: z.strictObject({ ask_id: z.uuid() }),
  answer: z.strictObject({ found: z.boolean() }),
  deadlineMs: 2_000,
});
