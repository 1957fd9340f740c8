import { ApprovalId, ApprovalStatus, DeliveryStatus, IsoTime, Outcome } from '@uar/contracts';
import { z } from 'zod';

/** A number in a query. */
const count = (from: number, to: number, usual: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number)
    .pipe(z.number().int().min(from).max(to))
    .default(usual);

export const ToolListQuery = z.strictObject({
  run_id: z.string().optional(),
  server: z.string().max(64).optional(),
  q: z.string().max(256).optional(),
  cursor: z.string().max(256).optional(),
  limit: count(1, 5_000, 1_000),
});

export const PutServerQuery = z.strictObject({ connect: z.enum(['true', 'false']).default('true') });

export const ApprovalListQuery = z.strictObject({
  status: ApprovalStatus.optional(),
  cursor: z.string().max(512).optional(),
  limit: count(1, 500, 100),
});

export const DeliveryListQuery = z.strictObject({
  status: DeliveryStatus.optional(),
  cursor: z.string().max(64).optional(),
  limit: count(1, 500, 100),
});

/** Of `POST /api/uar/runs/{id}/approval`. */
export const RunDecisionBody = z.strictObject({
  approved: z.boolean(),
  /** Which one, where the run waits for several. */
  approval_id: ApprovalId.optional(),
});

export const DecisionBody = z.strictObject({
  decision: z.enum(['approve', 'reject']),
  reason: z.string().max(1000).optional(),
});

export const ReceiptListQuery = z.strictObject({
  tool: z.string().max(256).optional(),
  outcome: Outcome.optional(),
  principal: z.string().max(1024).optional(),
  since: IsoTime.optional(),
  cursor: z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .optional(),
  limit: count(1, 1_000, 100),
});

export const NoQuery = z.strictObject({});
