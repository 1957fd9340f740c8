import { z } from 'zod';
import { exchange } from '../exchange.js';
import { ApprovalId, CallId, EpochMs } from '../ids.js';
import { ReceiptPosition } from '../ledger/receipt.js';
import { Caller } from '../principal.js';
import { ApprovalView } from './approval.js';
import { askClient } from './item.js';
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
    .strictObject({
      code: z.number(),
      message: z.string(),
      data_json: z.string().optional(),
      lacking: z.array(z.string()).optional(),
    })
    .optional(),
  intent: ReceiptPosition.nullable(),
  retry_after_ms: z.number().optional(),
  fault_id: z.string().optional(),
});

/** What a client has to answer before its call goes on, under `key`. */
export const ParkedInput = z.strictObject({
  key: z.string(),
  method: askClient.ask.shape.method,
  params_json: z.string(),
});

/**
 * Asked of the gateway that holds a call which waits for a human or for its client, by the one to which its caller came back: takes
 * what the client answered, waits `wait_ms` for the human, and without limit for the end of the call or until more is asked.
 */
export const resumeCall = exchange({
  subject: 'uar.v1.gateway.call.resume',
  reach: 'instance',
  ask: z.strictObject({
    /** Names this ask to `leaveCall`. */
    ask_id: z.uuid(),
    caller: Caller,
    call_id: CallId,
    /** Of a call that waited for a human when its caller left it. */
    approval_id: ApprovalId.optional(),
    wait_ms: z.number().int().min(0).max(3_600_000),
    /** Results as JSON text by key; `shown`: how many requests its client had been shown by then. */
    answers: z
      .strictObject({ shown: z.number().int().min(0), by_key: z.record(z.string(), z.string()) })
      .optional(),
    /** It is to go on without its caller, unless it ends or asks within so many milliseconds. */
    task_after_ms: z.number().int().min(0).optional(),
    /** ClientCapabilities that its client declares now, as JSON text. */
    capabilities_json: z.string().max(4_096),
  }),
  answer: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('pending'), approval: ApprovalView }),
    z.strictObject({
      kind: z.literal('asked'),
      call_id: CallId,
      inputs: z.array(ParkedInput),
      shown: z.number().int().min(0),
      /** After that the call is given up. */
      until: EpochMs,
    }),
    /** It goes on without its caller, and is kept; `view_json`: CallView. */
    z.strictObject({ kind: z.literal('left'), view_json: z.string() }),
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
