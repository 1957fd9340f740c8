import { z } from 'zod';
import { Digest, IsoTime, PlainText } from '../ids.js';
import { Principal } from '../principal.js';

/** Namespace of the ledger's settings in which a tenant's API-written set stands, and its only key. */
export const policiesNamespace = 'policies';
export const policySetKey = 'set';
/** Which versions were in force, per tenant under one key; their texts stand in a namespace of their own, by version. */
export const policyVersionNamespace = 'policy-version';
export const policyVersionKey = 'index';
export const policyTextNamespace = 'policy-version-text';
export const policyProposalNamespace = 'policy-proposal';

/** Texts by policy id. Which ids and texts are taken is said by the decider, with place and reason. */
const maxChars = 2 * 1024 * 1024;
export const SetTexts = z
  .record(z.string().min(1).max(256), z.string())
  .refine((texts) => Object.values(texts).reduce((sum, text) => sum + text.length, 0) <= maxChars, {
    error: `longer than ${maxChars} characters in all`,
  });

const ProposalId = z.string().regex(/^prop_[0-9a-f]{32}$/);
/** `sha256:...` of the set in force; `none` where none is. */
export const IfVersion = z.string().min(1).max(128);
export const ProposalNote = z.string().max(2_000);

/** What the API keeps of a tenant: `file` is the digest of the folder's set at that moment, so that a later edit shows. */
export const WrittenPolicies = z.strictObject({
  policies: z.record(z.string(), z.string()),
  at: IsoTime,
  /** Cedar id of whoever put it in force. */
  by: z.string(),
  /** Who wrote the texts (separation of duties). */
  authors: z.array(Principal),
  file: Digest,
});
export type WrittenPolicies = z.output<typeof WrittenPolicies>;

const PolicySource = z.enum(['file', 'api']);

export const PolicyProblemView = z.strictObject({
  /** Absent: it concerns the whole set. */
  policy_id: z.string().optional(),
  /** The case of `cases/*.yaml` that does not hold. */
  case: z.string().optional(),
  message: z.string(),
  /** From 1; columns count UTF-16 units. Absent where there is no text to point at. */
  line: z.number().int().positive().optional(),
  column: z.number().int().positive().optional(),
  suggestion: z.string().optional(),
});
export type PolicyProblemView = z.output<typeof PolicyProblemView>;

const PolicyView = z.strictObject({
  id: z.string(),
  tier: z.enum(['platform', 'tenant']),
  text: z.string(),
  annotations: z.record(z.string(), z.string()),
});

/** The set in force of a tenant (API.md 6). */
export const PoliciesView = z.strictObject({
  version: z.string(),
  policies: z.array(PolicyView),
  /** The folder's set was edited since the API's was written: the API's decides. */
  drift: z.boolean(),
  source: PolicySource,
  /** What keeps a newer set out, and what became questionable about the one in force. */
  problems: z.array(PolicyProblemView),
});
export type PoliciesView = z.output<typeof PoliciesView>;

/** Ids of the tenant's policies, against the set in force. */
export const PolicyDifferences = z.strictObject({
  added: z.array(z.string()),
  removed: z.array(z.string()),
  changed: z.array(z.string()),
});
export type PolicyDifferences = z.output<typeof PolicyDifferences>;

export const PolicyFindings = z.strictObject({
  errors: z.array(PolicyProblemView),
  warnings: z.array(PolicyProblemView),
});
export type PolicyFindings = z.output<typeof PolicyFindings>;

/** Why a candidate was not tried; nothing changed. */
export const CandidateRefusal = {
  invalid: z.strictObject({ kind: z.literal('invalid'), findings: PolicyFindings }),
  /** So many candidates of this tenant, or of all of them, wait already. */
  busy: z.strictObject({ kind: z.literal('busy'), retry_after_ms: z.number().int().positive() }),
  /** Cedar is switched off: there are no policies. */
  off: z.strictObject({ kind: z.literal('off') }),
  /** A part that is needed did not answer. */
  unavailable: z.strictObject({ kind: z.literal('unavailable'), cause: z.string() }),
} as const;

export const ValidateBody = z.strictObject({ policies: SetTexts });
export const ValidationView = PolicyFindings.extend({ valid: z.boolean() });

const conditions = { if_version: IfVersion, dry_run: z.boolean().default(false) };
export const PutPoliciesBody = z.union([
  z.strictObject({ policies: SetTexts, ...conditions }),
  z.strictObject({ proposal_id: ProposalId, ...conditions }),
  /** Back to the tenant's policies of a version that was in force before. */
  z.strictObject({ version: Digest, ...conditions }),
]);
export const DeletePoliciesBody = z.strictObject(conditions);

export const DryRunView = z.strictObject({
  dry_run: z.literal(true),
  version: z.string(),
  differences: PolicyDifferences,
  warnings: z.array(PolicyProblemView),
});
export type DryRunView = z.output<typeof DryRunView>;

export const ProposeBody = z.strictObject({
  policies: SetTexts,
  if_version: IfVersion,
  note: PlainText.max(2_000).optional(),
});

/** A set that waits for somebody to put it in force. */
export const PolicyProposalView = z.strictObject({
  proposal_id: ProposalId,
  /** Cedar id. */
  author: z.string(),
  at: IsoTime,
  /** What it was written against: once another version is in force it cannot be activated any more. */
  if_version: z.string(),
  note: z.string().optional(),
  differences: PolicyDifferences,
});
export type PolicyProposalView = z.output<typeof PolicyProposalView>;

export const StoredProposal = z.strictObject({
  policies: z.record(z.string(), z.string()),
  author: Principal,
  at: IsoTime,
  if_version: z.string(),
  note: ProposalNote.optional(),
});
export type StoredProposal = z.output<typeof StoredProposal>;

export const PolicyVersion = z.strictObject({
  version: Digest,
  at: IsoTime,
  by: z.string().optional(),
  source: PolicySource,
  /** How many policies, those of the platform included. */
  policies: z.number().int().nonnegative(),
});
export type PolicyVersion = z.output<typeof PolicyVersion>;
export const PolicyVersionView = PolicyVersion.extend({ active: z.boolean() });

/** Newest first. */
export const StoredVersions = z.strictObject({ versions: z.array(PolicyVersion) });
export const StoredVersionTexts = z.strictObject({
  policies: z.record(z.string(), z.string()),
  authors: z.array(Principal),
});
export type StoredVersionTexts = z.output<typeof StoredVersionTexts>;

export const PolicySchemaView = z.strictObject({
  /** The shipped Cedar schema. */
  schema: z.string(),
  /** What the live catalog adds to it: the tenant's tools as policies may name them. */
  catalog: z.unknown(),
});
