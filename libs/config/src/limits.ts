import { TenantId, longestQuotaWindowMs } from '@uar/contracts';
import { z } from 'zod';

const mostCalls = 100_000;
const mostQuotaCalls = 100_000_000;
const longestRateSeconds = 3_600;
const longestQuotaSeconds = longestQuotaWindowMs / 1_000;

/** What rates and quotas have in common. */
const limit = {
  name: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,31}$/, 'is no name (lower-case letters, digits, dash; at most 32)'),
  per: z.enum(['principal', 'tool', 'tenant', 'principal_tool']),
  /** Which calls count; all without. Public tool names with `*` for any characters. */
  match: z
    .strictObject({
      tools: z.array(z.string().min(1).max(128)).min(1).max(100).optional(),
      tenants: z.array(TenantId).min(1).max(1_000).optional(),
    })
    .optional(),
};

/** One rate: a leaky bucket for each principal, tool, tenant, or principal and tool (DESIGN.md 3). */
const Rate = z.strictObject({
  ...limit,
  /** In the long run within each window. */
  calls: z.number().int().min(1).max(mostCalls),
  /** One hour at most: what was spent is forgotten at a restart. */
  window_seconds: z
    .number()
    .int()
    .min(1)
    .max(longestRateSeconds, 'must be at most 3600: a rate does not outlive a restart, use limits.quotas'),
  /** At once; default: as many as `calls`. */
  burst: z.number().int().min(1).max(mostCalls).optional(),
  /** While other gateways are not heard: `closed` refuses, `open` counts what passes here alone. */
  fail: z.enum(['open', 'closed']).default('closed'),
});

/** One quota: so many calls in each window for each principal, tool, tenant, or principal and tool, counted in the ledger. */
const Quota = z.strictObject({
  ...limit,
  calls: z.number().int().min(1).max(mostQuotaCalls),
  window_seconds: z
    .number()
    .int()
    .min(60, 'must be at least 60: what is shorter is a rate, use limits.rates')
    .max(longestQuotaSeconds, 'must be at most 2678400 (31 days)'),
  /** While the ledger does not answer: `closed` refuses, `open` lets pass uncounted. */
  fail: z.enum(['open', 'closed']).default('closed'),
});

const namesDiffer = (all: readonly { readonly name: string }[]) =>
  new Set(all.map(({ name }) => name)).size === all.length;

export const rates = z
  .array(Rate)
  .max(32)
  .refine(namesDiffer, 'two rates have the same name')
  .default([])
  .describe(
    'Rates: { name, per: principal | tool | tenant | principal_tool, calls 1-100000, window_seconds 1-3600, burst ' +
      '(default: calls), match: { tools: names with *, tenants }, fail: closed | open }. A leaky bucket: `burst` calls at ' +
      'once, `calls` per window in the long run. Exact on one gateway. N gateways tell each other every 200 ms; together ' +
      'they let through at most (N-1) x (burst + calls x 0.4 s / window) more, once, and make up for it. While a gateway ' +
      'that was there is not heard for 2.5 s (10 s later it counts as gone), or the bus is away, `fail: closed` refuses as ' +
      'unavailable and `open` counts alone. A restart forgets what was spent. Default: no rate.',
  );

export const quotas = z
  .array(Quota)
  .max(32)
  .refine(namesDiffer, 'two quotas have the same name')
  .default([])
  .describe(
    'Quotas: { name, per: principal | tool | tenant | principal_tool, calls 1-100000000, window_seconds 60-2678400 (31 ' +
      'days), match: { tools: names with *, tenants }, fail: closed | open }. At most `calls` calls in each window, however ' +
      'many gateways there are and however often they restart: the ledger counts. Windows begin at multiples of their ' +
      'length since 1970-01-01 UTC (86400: at midnight UTC); beyond the quota calls are rate_limited until the next one. ' +
      'Whatever is called counts, denied or not. Never more pass; fewer may: a gateway takes up to 1/50 of `calls` (64 at ' +
      'most) ahead, gives it back after 2 s without use, and loses it when it is killed. While the ledger does not answer, ' +
      '`fail: closed` refuses as unavailable and `open` lets pass uncounted. Another window_seconds counts anew. Default: ' +
      'no quota.',
  );
