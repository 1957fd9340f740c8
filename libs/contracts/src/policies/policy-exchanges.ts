import { z } from 'zod';
import { exchange } from '../exchange.js';
import { TenantId } from '../ids.js';
import {
  CandidateRefusal,
  SetTexts,
  DryRunView,
  IfVersion,
  PoliciesView,
  PolicyFindings,
  PolicyProposalView,
  PolicySchemaView,
  PolicyVersionView,
  ProposalNote,
} from './policy.js';
import { Caller, Principal } from '../principal.js';

const { invalid, busy, off, unavailable } = CandidateRefusal;
const notFound = z.strictObject({ kind: z.literal('not_found'), message: z.string() });
const conflict = z.strictObject({ kind: z.literal('conflict'), version: z.string() });

/** A rehearsal in the engine's spare instance takes its turn behind others. */
const rehearsalMs = 30_000;

export const readPolicies = exchange({
  subject: 'uar.v1.governance.policies.read',
  ask: z.strictObject({ tenant: TenantId }),
  answer: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('read'), view: PoliciesView }),
    off,
  ]),
  deadlineMs: 5_000,
});

/** Would these texts be taken as the tenant's set? Changes nothing. */
export const validatePolicies = exchange({
  subject: 'uar.v1.governance.policies.validate',
  ask: z.strictObject({ tenant: TenantId, policies: SetTexts }),
  answer: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('checked'), findings: PolicyFindings }),
    busy,
    off,
    unavailable,
  ]),
  deadlineMs: rehearsalMs,
});

/** What is to be the tenant's set; `folder` gives authority back to the files. */
export const PolicyChange = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('texts'), policies: SetTexts }),
  z.strictObject({ kind: z.literal('proposal'), proposal_id: z.string() }),
  z.strictObject({ kind: z.literal('version'), version: z.string() }),
  z.strictObject({ kind: z.literal('folder') }),
]);
export type PolicyChange = z.output<typeof PolicyChange>;

/**
 * Replaces the set of the caller's tenant: rehearsed, compared with `if_version`, allowed by Cedar (`managePolicies` with the
 * authors), persisted with its receipt, then swapped. Until it is persisted nothing has changed.
 */
export const writePolicies = exchange({
  subject: 'uar.v1.governance.policies.write',
  ask: z.strictObject({ caller: Caller, change: PolicyChange, if_version: IfVersion, dry_run: z.boolean() }),
  answer: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('written'), view: PoliciesView }),
    z.strictObject({ kind: z.literal('would_write'), view: DryRunView }),
    invalid,
    busy,
    conflict,
    z.strictObject({ kind: z.literal('denied') }),
    notFound,
    off,
    unavailable,
    /** Persisted, but the engine did not take it yet: the old set decides until it does. */
    z.strictObject({ kind: z.literal('not_yet_active'), cause: z.string() }),
  ]),
  deadlineMs: 2 * rehearsalMs,
});

export const proposePolicies = exchange({
  subject: 'uar.v1.governance.proposals.create',
  ask: z.strictObject({
    principal: Principal,
    policies: SetTexts,
    if_version: IfVersion,
    note: ProposalNote.optional(),
  }),
  answer: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('proposed'), proposal: PolicyProposalView }),
    invalid,
    busy,
    conflict,
    /** So many wait already, or so much text. */
    z.strictObject({ kind: z.literal('full'), message: z.string() }),
    off,
    unavailable,
  ]),
  deadlineMs: rehearsalMs,
});

export const listProposals = exchange({
  subject: 'uar.v1.governance.proposals.list',
  ask: z.strictObject({ tenant: TenantId }),
  answer: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('listed'), proposals: z.array(PolicyProposalView) }),
    off,
    unavailable,
  ]),
  deadlineMs: 6_000,
});

export const readProposal = exchange({
  subject: 'uar.v1.governance.proposals.read',
  ask: z.strictObject({ tenant: TenantId, proposal_id: z.string() }),
  answer: z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('found'),
      proposal: PolicyProposalView,
      policies: z.record(z.string(), z.string()),
    }),
    notFound,
    off,
    unavailable,
  ]),
  deadlineMs: 6_000,
});

export const withdrawProposal = exchange({
  subject: 'uar.v1.governance.proposals.withdraw',
  ask: z.strictObject({ caller: Caller, proposal_id: z.string() }),
  answer: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('withdrawn') }),
    z.strictObject({ kind: z.literal('denied') }),
    notFound,
    off,
    unavailable,
  ]),
  deadlineMs: 10_000,
});

export const listPolicyVersions = exchange({
  subject: 'uar.v1.governance.versions.list',
  ask: z.strictObject({ tenant: TenantId }),
  answer: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('listed'), versions: z.array(PolicyVersionView) }),
    off,
    unavailable,
  ]),
  deadlineMs: 6_000,
});

export const readPolicySchema = exchange({
  subject: 'uar.v1.governance.schema.read',
  ask: z.strictObject({ tenant: TenantId }),
  answer: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('read'), view: PolicySchemaView }),
    off,
    unavailable,
  ]),
  deadlineMs: 5_000,
});
