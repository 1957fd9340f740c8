import { TenantId } from '@uar/contracts';
import { z } from 'zod';

const mostCalls = 100_000;

/** One rate: a leaky bucket for each principal, tool, tenant, or principal and tool (DESIGN.md 3). */
const Rate = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,31}$/, 'is no name (lower-case letters, digits, dash; at most 32)'),
  per: z.enum(['principal', 'tool', 'tenant', 'principal_tool']),
  /** In the long run within each window. */
  calls: z.number().int().min(1).max(mostCalls),
  /** One hour at most: what was spent is forgotten at a restart. */
  window_seconds: z
    .number()
    .int()
    .min(1)
    .max(3_600, 'must be at most 3600: a longer quota would not outlive a restart'),
  /** At once; default: as many as `calls`. */
  burst: z.number().int().min(1).max(mostCalls).optional(),
  /** Which calls count; all without. Public tool names with `*` for any characters. */
  match: z
    .strictObject({
      tools: z.array(z.string().min(1).max(128)).min(1).max(100).optional(),
      tenants: z.array(TenantId).min(1).max(1_000).optional(),
    })
    .optional(),
  /** While other gateways are not heard: `closed` refuses, `open` counts what passes here alone. */
  fail: z.enum(['open', 'closed']).default('closed'),
});

export const rates = z
  .array(Rate)
  .max(32)
  .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, 'two rates have the same name')
  .default([])
  .describe(
    'Rates: { name, per: principal | tool | tenant | principal_tool, calls 1-100000, window_seconds 1-3600, burst ' +
      '(default: calls), match: { tools: names with *, tenants }, fail: closed | open }. A leaky bucket: `burst` calls at ' +
      'once, `calls` per window in the long run. Exact on one gateway. N gateways tell each other every 200 ms; together ' +
      'they let through at most (N-1) x (burst + calls x 0.4 s / window) more, once, and make up for it. While a gateway ' +
      'that was there is not heard for 2.5 s (10 s later it counts as gone), or the bus is away, `fail: closed` refuses as ' +
      'unavailable and `open` counts alone. A restart forgets what was spent. Default: no rate.',
  );
