import { z } from 'zod';
import { announcement, exchange } from '../exchange.js';
import { EpochMs, InstanceId } from '../ids.js';

/**
 * What one gateway let through under the configured rates since it said so before: every replica takes it off its own
 * buckets. Without spending it is said once a second, so that others know that nothing is missing.
 */
export const limitsSpent = announcement({
  subject: 'uar.v1.event.limits.spent',
  body: z.strictObject({
    instance: InstanceId,
    spent: z
      .array(
        z.strictObject({
          rate: z.string().max(64),
          /** Digest of whom or what the bucket is for. */
          bucket: z.string().max(64),
          calls: z.number().int().positive(),
        }),
      )
      .max(2_000),
    stopping: z.boolean(),
  }),
});

/** The longest window of a quota: 31 days. */
export const longestQuotaWindowMs = 31 * 24 * 3_600_000;

const QuotaTake = z.strictObject({
  quota: z.string().min(1).max(64),
  /** Digest of whom or what the bucket is for. */
  bucket: z.string().min(1).max(64),
  /** Of each window; windows begin at multiples of their length since 1970-01-01 UTC. */
  calls: z.number().int().positive(),
  window_ms: z.number().int().positive().max(longestQuotaWindowMs),
  /** Calls that wait for a unit now. */
  needed: z.number().int().nonnegative(),
  /** For these and for calls to come, at most. */
  units: z.number().int().nonnegative(),
  /** Units of an earlier answer that nobody used; nothing when that window is over. Never said twice. */
  back: z.strictObject({ units: z.number().int().positive(), ends_at: EpochMs }).optional(),
});

/**
 * Takes units of quotas for the window that is open by the ledger's clock, durable when answered: what is granted is spent,
 * whether it is used or not. Of what is left no more than half is granted ahead of need.
 */
export const takeQuota = exchange({
  subject: 'uar.v1.ledger.quota.take',
  ask: z.strictObject({ takes: z.array(QuotaTake).min(1).max(500) }),
  answer: z.strictObject({
    /** In the order of `takes`. `granted` less than `needed`: nothing is left in this window. */
    taken: z.array(
      z.strictObject({
        granted: z.number().int().nonnegative(),
        ends_at: EpochMs,
        resets_in_ms: z.number().int().positive(),
      }),
    ),
  }),
  deadlineMs: 2_000,
});
