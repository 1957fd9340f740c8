import { z } from 'zod';
import { ApprovalView } from './approval.js';
import { CallId, RunId } from '../ids.js';
import { Effect, Outcome } from './outcome.js';
import { ReceiptPosition } from '../ledger/receipt.js';

/** Body of every error, and `error` of a call that did not go well (API.md). `code` is the outcome where there is one. */
export const ErrorBody = z.strictObject({
  error: z.strictObject({ code: z.string(), message: z.string(), details: z.unknown().optional() }),
});
export type ErrorBody = z.output<typeof ErrorBody>;

/** Body of `POST /api/tools/{name}/execute`. Absent `arguments` are `{}`. */
export const ExecuteBody = z.strictObject({
  arguments: z.record(z.string(), z.unknown()).optional(),
  run_id: z.string().optional(),
  deadline_ms: z.number().int().min(1).max(3_600_000).optional(),
});

/** What `execute` and `GET /api/uar/calls/{call_id}` answer (API.md 2). `result` is the CallToolResult, untouched. */
export const CallView = z.strictObject({
  call_id: CallId,
  run_id: RunId.optional(),
  tool: z.string(),
  outcome: Outcome.or(z.literal('pending')),
  effect: Effect.nullable(),
  success: z.boolean(),
  result: z.unknown(),
  error: ErrorBody.shape.error.nullable(),
  decision: z
    .strictObject({
      kind: z.enum(['allow', 'deny', 'require_approval']),
      policy_version: z.string(),
      explanation: z
        .strictObject({ determining: z.array(z.string()), cause: z.string().optional() })
        .optional(),
    })
    .nullable(),
  approval: ApprovalView.nullable(),
  receipt: ReceiptPosition.nullable(),
  duration_ms: z.number(),
});
export type CallView = z.output<typeof CallView>;
