import { z } from 'zod';
import { announcement } from './exchange.js';
import { InstanceId } from './ids.js';

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
