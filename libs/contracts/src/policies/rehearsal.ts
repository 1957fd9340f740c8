import { z } from 'zod';
import { exchange } from '../exchange.js';
import { AskedTime, CallId, EpochMs, IsoTime, TenantId } from '../ids.js';
import { CandidateRefusal, SetTexts } from './policy.js';
import { Caller } from '../principal.js';

const decisionKind = z.enum(['allow', 'require_approval', 'deny']);

/** Two decisions about the same call that differ. Outcomes are those of denials; `policies` determine the second one. */
const difference = {
  call_id: CallId,
  was: decisionKind,
  would_be: decisionKind,
  was_outcome: z.string().optional(),
  would_be_outcome: z.string().optional(),
  policies: z.array(z.string()),
};

export const ReplayView = z.strictObject({
  /** Of the candidate. */
  version: z.string(),
  replayed: z.number().int(),
  changed: z.array(z.strictObject({ ...difference, stage: z.enum(['call', 'release']) })),
  /**
   * Not guessed about: the candidate reads arguments whose values were not recorded (`reads`: their pointers), the arguments
   * were too large to record, no policy had decided in the first place, or the engine gave no answer now.
   */
  undecided: z.array(
    z.strictObject({
      call_id: CallId,
      why: z.enum(['argument_not_recorded', 'arguments_left_out', 'not_decided_then', 'no_answer']),
      reads: z.array(z.string()),
    }),
  ),
  /** False where time ran out first: `next` goes on from there. */
  complete: z.boolean(),
  next: z.string().optional(),
});
export type ReplayView = z.output<typeof ReplayView>;

const refusal = [
  CandidateRefusal.invalid,
  CandidateRefusal.busy,
  CandidateRefusal.off,
  CandidateRefusal.unavailable,
] as const;

/** `cursor`: the `next` of an earlier answer. */
export const ReplayBody = z.strictObject({
  policies: SetTexts,
  since: AskedTime.optional(),
  limit: z.number().int().min(1).max(10_000).default(1_000),
  cursor: z
    .string()
    .regex(/^[1-9]\d{0,14}$/)
    .optional(),
});

/** Recorded decisions of a tenant, newest first, decided again by a candidate; ends at its deadline with what was done. */
export const replayDecisions = exchange({
  subject: 'uar.v1.governance.decisions.replay',
  ask: z.strictObject({
    tenant: TenantId,
    policies: SetTexts,
    since: EpochMs.optional(),
    before: z.number().int().positive().optional(),
    limit: z.number().int().min(1).max(10_000),
  }),
  answer: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('replayed'), view: ReplayView }),
    ...refusal,
  ]),
  deadlineMs: 30_000,
});

/** What a shadow saw. Counts are those of the replica of the decider that answers, since it began to hold the candidate. */
export const ShadowView = z.strictObject({
  version: z.string(),
  since: IsoTime,
  counted_since: IsoTime,
  /** The replica that counted. */
  replica: z.string(),
  evaluated: z.number().int(),
  /** Calls that were not evaluated: the queue was full, or the engine gave no answer. */
  dropped: z.number().int(),
  differences: z.number().int(),
  /** The last 200, newest first. */
  listed: z.array(z.strictObject({ ...difference, at: IsoTime, tool: z.string() })),
  /** Why the candidate cannot be evaluated any more, e.g. beside a platform policy that changed. */
  problem: z.string().optional(),
});
export type ShadowView = z.output<typeof ShadowView>;

export const ShadowBody = z.strictObject({ policies: SetTexts });

/** `policies` absent: no shadow any more. Durable, with its receipt, when it is answered. */
export const writeShadow = exchange({
  subject: 'uar.v1.governance.shadow.write',
  ask: z.strictObject({ caller: Caller, policies: SetTexts.optional() }),
  answer: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('written'), shadow: ShadowView }),
    z.strictObject({ kind: z.literal('removed') }),
    z.strictObject({ kind: z.literal('not_found') }),
    /** Somebody else wrote it at the same time. */
    z.strictObject({ kind: z.literal('conflict') }),
    ...refusal,
  ]),
  deadlineMs: 15_000,
});

export const readShadow = exchange({
  subject: 'uar.v1.governance.shadow.read',
  ask: z.strictObject({ tenant: TenantId }),
  answer: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('found'), shadow: ShadowView }),
    z.strictObject({ kind: z.literal('not_found') }),
    CandidateRefusal.off,
    /** Not read yet, or stored as nobody can read it. */
    CandidateRefusal.unavailable,
  ]),
  deadlineMs: 3_000,
});

/** Namespace of the ledger's settings in which shadows stand, and their only key. */
export const shadowNamespace = 'shadow';
export const shadowKey = 'candidate';

export const StoredShadow = z.strictObject({ policies: SetTexts, since: EpochMs });
export type StoredShadow = z.output<typeof StoredShadow>;
