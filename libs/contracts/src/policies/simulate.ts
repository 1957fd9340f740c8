import { z } from 'zod';
import { exchange } from '../exchange.js';
import { TenantId } from '../ids.js';
import { Outcome } from '../calls/outcome.js';
import { CandidateRefusal, PolicyProblemView, SetTexts } from './policy.js';
import { Caller } from '../principal.js';
import { ToolFacts } from '../catalog/tool.js';
import { DecisionKind, PrincipalSpec, verdict } from './explain.js';

/** What a set says of one call. */
export const SimulatedVerdict = z.strictObject({
  ...verdict,
  determining: z.array(z.string()),
  /** See `CallExplanation`. */
  seen: z.boolean(),
});
export type SimulatedVerdict = z.output<typeof SimulatedVerdict>;

const indexes = z.array(z.array(z.number().int().nonnegative()));

/**
 * Callers by tools, judged by the active set and, where `policies` are given, by the platform's policies with these as the
 * tenant's own. The candidate is checked first. Verdicts stand once; `active[c][t]` and `candidate[c][t]` are their indexes.
 */
export const simulateCalls = exchange({
  subject: 'uar.v1.governance.calls.simulate',
  ask: z.strictObject({
    tenant: TenantId,
    policies: SetTexts.optional(),
    callers: z.array(Caller).min(1).max(50),
    tools: z.array(z.strictObject({ facts: ToolFacts, arguments_json: z.string() })).max(1_000),
  }),
  answer: z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('simulated'),
      active_version: z.string(),
      candidate_version: z.string().optional(),
      verdicts: z.array(SimulatedVerdict),
      active: indexes,
      candidate: indexes.optional(),
      warnings: z.array(PolicyProblemView),
    }),
    CandidateRefusal.invalid,
    CandidateRefusal.busy,
    CandidateRefusal.off,
    CandidateRefusal.unavailable,
    /** It would take longer than `most_ms`. */
    z.strictObject({ kind: z.literal('too_slow'), most_ms: z.number().int() }),
  ]),
  deadlineMs: 30_000,
});

export const simulationBounds = { principals: 50, cells: 50_000 } as const;

/** Body of `POST /api/uar/governance/simulate`. */
export const SimulateBody = z.strictObject({
  /** The tenant's policies by id; absent: the active set alone. */
  policies: SetTexts.optional(),
  principals: z.array(PrincipalSpec).min(1).max(simulationBounds.principals),
  /** Public names; absent: every tool of the tenant. */
  tools: z.array(z.string().min(1).max(256)).min(1).max(simulationBounds.cells).optional(),
  /** By tool. A tool without is judged as if it were called with none, and its schema is left aside. */
  arguments: z.record(z.string(), z.record(z.string(), z.unknown())).optional(),
});

const CellVerdict = z.strictObject({ ...verdict, policies: z.array(z.string()) });
export type CellVerdict = z.output<typeof CellVerdict>;

export const SimulationView = z.strictObject({
  /** Of the candidate, or of the active set where there is none. */
  version: z.string(),
  active_version: z.string(),
  matrix: z.array(
    z.strictObject({
      /** Its place in the request's `principals`. */
      principal: z.number().int().nonnegative(),
      sub: z.string(),
      tool: z.string(),
      active: CellVerdict,
      candidate: CellVerdict.optional(),
    }),
  ),
  differences: z.array(
    z.strictObject({
      principal: z.number().int().nonnegative(),
      sub: z.string(),
      tool: z.string(),
      was: DecisionKind,
      would_be: DecisionKind,
      was_outcome: Outcome.optional(),
      would_be_outcome: Outcome.optional(),
      /** Determine what would be. */
      policies: z.array(z.string()),
    }),
  ),
  warnings: z.array(PolicyProblemView),
});
export type SimulationView = z.output<typeof SimulationView>;
