import { z } from 'zod';
import { exchange } from '../exchange.js';
import { CallId, Digest, EpochMs, RunId, TenantId } from '../ids.js';
import { Caller, Channel, Principal, ProfileName } from '../principal.js';
import { ToolFacts } from '../catalog/tool.js';

const texts = z.record(z.string(), z.string());

/** The arguments as they were decided on: every tag of every bag, but values only where a policy in force read them by name. */
const RecordedArguments = z.discriminatedUnion('kind', [
  /** Nobody could read them: the decision was made without. */
  z.strictObject({ kind: z.literal('rejected') }),
  /** Larger than a record may be. */
  z.strictObject({ kind: z.literal('left_out') }),
  z.strictObject({
    kind: z.literal('read'),
    /** Tags per bag: which pointers there are, and of which type. */
    tags: z.strictObject({
      s: z.array(z.string()),
      n: z.array(z.string()),
      d: z.array(z.string()),
      b: z.array(z.string()),
      l: z.array(z.string()),
    }),
    values: z.strictObject({
      s: texts,
      n: z.record(z.string(), z.number()),
      d: texts,
      b: z.record(z.string(), z.boolean()),
      l: z.record(z.string(), z.array(z.string())),
    }),
    paths: z.array(z.string()),
    nulls: z.array(z.string()),
    lossless: z.boolean(),
    facts: z.strictObject({
      pathRoots: z.array(z.string()),
      hosts: z.array(z.string()),
      recipientDomains: z.array(z.string()),
      amount: z.string().optional(),
      /** No declared extractor failed; whether policies read more than is extracted depends on the policies. */
      complete: z.boolean(),
      /** Left out: they are made of arguments that are secret. */
      hidden: z.array(z.enum(['pathRoots', 'hosts', 'recipientDomains', 'amount'])),
    }),
  }),
]);
export type RecordedArguments = z.output<typeof RecordedArguments>;

/** What the directory said of the tenants and principals of a question. */
const RecordedDirectory = z.strictObject({
  tenants: z.record(
    z.string(),
    z.strictObject({
      killSwitch: z.boolean(),
      enabledFamilies: z.array(z.string()),
      maxUnattendedRisk: z.number().int(),
      approvalNeedsMfa: z.boolean(),
      approvalNeedsInteractive: z.boolean(),
    }),
  ),
  /** By `<tenant>/<id>`; agents that nobody registered are not here. */
  agents: z.record(
    z.string(),
    z.strictObject({
      owner: z.string(),
      class: z.string().optional(),
      maxRisk: z.number().int(),
      suspended: z.boolean(),
    }),
  ),
  /** `<tenant>/<subject>` of users. */
  suspended: z.array(z.string()),
});
export type RecordedDirectory = z.output<typeof RecordedDirectory>;

/** Everything a decision rested on besides the moment, the run and the session. Kept once for all decisions alike, sealed. */
export const RecordedFacts = z.strictObject({
  /** `expires_at` of the principal is 0: with the times of their tokens no two decisions would be alike. */
  caller: Caller.omit({ run_id: true, session_id: true }),
  tool: ToolFacts,
  profile: ProfileName,
  arguments: RecordedArguments,
  directory: RecordedDirectory,
  /** Where votes were weighed. */
  approval: z
    .strictObject({
      approval_id: z.string(),
      votes: z.array(z.strictObject({ principal: Principal, channel: Channel })),
      requested_at: EpochMs,
      expires_at: EpochMs,
    })
    .optional(),
});
export type RecordedFacts = z.output<typeof RecordedFacts>;

/** Policy ids are sorted. */
export const RecordedVerdict = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('allow'), determining: z.array(z.string()) }),
  z.strictObject({ kind: z.literal('require_approval'), determining: z.array(z.string()) }),
  z.strictObject({
    kind: z.literal('deny'),
    outcome: z.string(),
    cause: z.string(),
    determining: z.array(z.string()),
  }),
]);
export type RecordedVerdict = z.output<typeof RecordedVerdict>;

/** `call`: the first decision about a call; `release`: asked again with the votes of an approval. */
const stage = z.enum(['call', 'release']);

const decided = {
  stage,
  run_id: RunId,
  session_id: z.string(),
  policy_version: z.string(),
  verdict: RecordedVerdict,
  facts: Digest,
};
const callIn = { call_id: CallId, at: EpochMs };
const factsIn = { digest: Digest, facts_json: z.string().max(65_536) };

/** One decision as it is kept. `seq` grows in the order of recording. */
export const RecordedDecision = z.strictObject({ seq: z.number().int().positive(), ...callIn, ...decided });
export type RecordedDecision = z.output<typeof RecordedDecision>;

/**
 * Decisions with the facts they rest on; facts that were recorded before are named by digest alone. Of a group whose facts
 * are unknown (pruned since) nothing is kept, and `missing` says so. The ledger holds the last 100,000 decisions, for 7 days.
 */
export const recordDecisions = exchange({
  subject: 'uar.v1.ledger.decisions.record',
  ask: z.strictObject({
    facts: z.array(z.strictObject({ tenant: TenantId, ...factsIn })),
    /** Calls that were decided alike; as many times as calls, in their order. */
    groups: z.array(
      z.strictObject({
        tenant: TenantId,
        ...decided,
        call_ids: z.array(CallId).min(1),
        times: z.array(EpochMs).min(1),
      }),
    ),
  }),
  answer: z.strictObject({ missing: z.array(Digest) }),
  deadlineMs: 3_000,
});

/** Newest first; `next` is the `before` of the page behind it. */
export const readDecisions = exchange({
  subject: 'uar.v1.ledger.decisions.read',
  ask: z.strictObject({
    tenant: TenantId,
    since: EpochMs.optional(),
    before: z.number().int().positive().optional(),
    limit: z.number().int().min(1).max(500),
  }),
  answer: z.strictObject({
    decisions: z.array(RecordedDecision),
    /** Those the decisions rest on, each once. */
    facts: z.array(z.strictObject(factsIn)),
    next: z.number().int().positive().optional(),
  }),
  deadlineMs: 5_000,
});
