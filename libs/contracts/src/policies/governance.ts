import { z } from 'zod';
import { announcement, exchange } from '../exchange.js';
import { GrantTarget, GrantText } from '../calls/grant.js';
import { ApprovalId, CallId, Digest, EpochMs, TenantId } from '../ids.js';
import { Caller, Principal } from '../principal.js';
import { Item } from '../calls/item.js';
import { ToolFacts } from '../catalog/tool.js';

export const AdminAction = z.enum([
  'readServers',
  'manageServers',
  'reviewTools',
  'readPolicies',
  'proposePolicies',
  'managePolicies',
  'explain',
  'readCalls',
  'readReceipts',
  'manageSettings',
  'manageAgents',
]);
export type AdminAction = z.output<typeof AdminAction>;

export const ApprovalAction = z.enum(['approve', 'reject', 'viewApproval']);
export type ApprovalAction = z.output<typeof ApprovalAction>;

/** The votes as the release question needs them (GOVERNANCE.md 3, `approval`). */
export const ApprovalFacts = z.strictObject({
  approval_id: ApprovalId,
  approvers: z.array(Principal),
  requested_at: EpochMs,
});
export type ApprovalFacts = z.output<typeof ApprovalFacts>;

/** May `caller` call this tool with this argument text? */
export const CallQuestion = z.strictObject({
  call_id: CallId,
  caller: Caller,
  tool: ToolFacts,
  arguments_json: z.string(),
  arguments_digest: Digest,
});
export type CallQuestion = z.output<typeof CallQuestion>;

/** What a decision rests on, for receipts and explanations. Policy ids are sorted. */
const decided = {
  policy_version: z.string(),
  determining: z.array(z.string()),
  governance: z.enum(['on', 'off']),
};

export const CallDecision = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('allow'),
    ...decided,
    grant: GrantText.optional(),
    ticket: z.string().optional(),
  }),
  z.strictObject({
    kind: z.literal('require_approval'),
    ...decided,
    quorum: z.number().int().min(1),
    /** `@reason` texts of the gates that ask for a human; seen by approvers only. */
    reasons: z.array(z.string()),
  }),
  z.strictObject({
    kind: z.literal('deny'),
    ...decided,
    outcome: z.enum(['unknown_tool', 'run_denied', 'quarantined', 'capability_denied', 'policy_denied']),
    /** For holders of `readReceipts` only: `not_permitted`, `forbidden`, `policy_error`, `request_invalid`, `principal_expired`, ... */
    cause: z.string(),
  }),
]);
export type CallDecision = z.output<typeof CallDecision>;

/**
 * Stages 5 to 7 of a call. Without `approval`: quarantine, capability, discoverTool, callTool, callToolUnattended; an allow
 * carries a grant for `target`. With `approval`: callTool and callToolApproved; an allow carries a `ticket`, good for 10 s,
 * which `issueGrant` takes once the approval is consumed; without release the answer is `require_approval`.
 */
export const decideCall = exchange({
  subject: 'uar.v1.governance.call.decide',
  ask: z.strictObject({
    question: CallQuestion,
    target: GrantTarget.optional(),
    approval: ApprovalFacts.optional(),
  }),
  answer: CallDecision,
  deadlineMs: 2_000,
});

/** Stage 7c: the grant for a call whose approval is consumed. Refused when the ticket is old, policy moved on, or kill switch or suspension came since. */
export const issueGrant = exchange({
  subject: 'uar.v1.governance.grant.issue',
  ask: z.strictObject({ ticket: z.string(), target: GrantTarget }),
  answer: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('granted'), grant: GrantText }),
    z.strictObject({ kind: z.literal('refused'), cause: z.string() }),
  ]),
  deadlineMs: 2_000,
});

/** Which of these tools may `caller` discover, and would a call with empty arguments ask a human? Same order as asked. */
export const discoverTools = exchange({
  subject: 'uar.v1.governance.tools.discover',
  ask: z.strictObject({ caller: Caller, tools: z.array(ToolFacts) }),
  answer: z.strictObject({
    policy_version: z.string(),
    tools: z.array(
      z.discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('visible'), approval: z.enum(['never', 'maybe', 'always']) }),
        z.strictObject({ kind: z.literal('hidden') }),
      ]),
    ),
  }),
  deadlineMs: 5_000,
});

export const ApprovalResource = z.strictObject({
  approval_id: ApprovalId,
  tenant: TenantId,
  tool: ToolFacts,
  parties: z.array(Principal),
  expires_at: EpochMs,
});
export type ApprovalResource = z.output<typeof ApprovalResource>;

export const ActionQuestion = z.discriminatedUnion('kind', [
  /** On the caller's own tenant. */
  z.strictObject({ kind: z.literal('list_tools') }),
  z.strictObject({ kind: z.literal('admin'), action: AdminAction, authors: z.array(Principal).optional() }),
  z.strictObject({ kind: z.literal('approval'), action: ApprovalAction, resource: ApprovalResource }),
  /** `readResource` or `getPrompt`, by the kind of the item. */
  z.strictObject({ kind: z.literal('item'), item: Item }),
]);
export type ActionQuestion = z.output<typeof ActionQuestion>;

/** May `caller` do these? One decision each, same order as asked. */
export const authorizeActions = exchange({
  subject: 'uar.v1.governance.actions.authorize',
  ask: z.strictObject({ caller: Caller, questions: z.array(ActionQuestion).min(1).max(1000) }),
  answer: z.strictObject({
    policy_version: z.string(),
    decisions: z.array(
      z.discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('allow') }),
        z.strictObject({ kind: z.literal('deny'), cause: z.string(), determining: z.array(z.string()) }),
      ]),
    ),
  }),
  deadlineMs: 2_000,
});

/** State of the active set per tenant; `loaded: false` denies everything (GOVERNANCE.md 6). */
export const readGovernanceStatus = exchange({
  subject: 'uar.v1.governance.status.read',
  ask: z.strictObject({}),
  answer: z.strictObject({
    governance: z.enum(['on', 'off']),
    sets: z.array(
      z.strictObject({
        tenant: TenantId,
        version: z.string(),
        loaded: z.boolean(),
        policies: z.number().int(),
        /** The problem that kept a newer set from being loaded. */
        problem: z.string().optional(),
      }),
    ),
    /** What keeps every decision from being made besides missing sets, e.g. settings that were not read. */
    problems: z.array(z.string()).optional(),
    /** What keeps those of one tenant from being made besides its set: settings that cannot be read. */
    of_tenants: z.array(z.strictObject({ tenant: TenantId, problem: z.string() })).optional(),
  }),
  deadlineMs: 2_000,
});

/** A tenant's set was swapped: whoever remembers decisions or lists of it forgets them. */
export const policiesChanged = announcement({
  subject: 'uar.v1.event.policies.changed',
  body: z.strictObject({ tenant: TenantId, version: z.string() }),
});
