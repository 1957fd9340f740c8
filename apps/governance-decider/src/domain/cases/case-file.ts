import { AdminAction, ApprovalAction, Capability, Channel, ProfileName, ToolFacts } from '@uar/contracts';
import { z } from 'zod';

/** One file of `deploy/policies/cases` (GOVERNANCE.md 6): who and what there is, and the decisions that must hold. */
const TenantFixture = z.strictObject({
  kill_switch: z.boolean().default(false),
  families: z.array(z.string()).default(['mcp']),
  max_unattended_risk: z.number().int().default(1),
  approval_needs_mfa: z.boolean().default(false),
  approval_needs_interactive: z.boolean().default(false),
});

/** Without the defaults, which would undo what the file says. */
const TenantChange = z.strictObject({
  kill_switch: z.boolean().optional(),
  families: z.array(z.string()).optional(),
  max_unattended_risk: z.number().int().optional(),
  approval_needs_mfa: z.boolean().optional(),
  approval_needs_interactive: z.boolean().optional(),
});
export type TenantChange = z.output<typeof TenantChange>;

const PrincipalFixture = z.strictObject({
  subject: z.string(),
  tenant: z.string(),
  kind: z.enum(['user', 'agent']).default('user'),
  roles: z.array(z.string()).default([]),
  groups: z.array(z.string()).default([]),
  agent: z.string().optional(),
  capabilities: z.array(Capability).optional(),
  mfa: z.boolean().default(false),
  suspended: z.boolean().default(false),
  claims: z.record(z.string(), z.string()).default({}),
  expired: z.boolean().default(false),
});
export type PrincipalFixture = z.output<typeof PrincipalFixture>;

const AgentFixture = z.strictObject({
  tenant: z.string(),
  owner: z.string(),
  class: z.string().optional(),
  max_risk: z.number().int().default(2),
  suspended: z.boolean().default(false),
});
export type AgentFixture = z.output<typeof AgentFixture>;

/** Live facts, but for the bounds of `quorum` and `risk`: what lies beyond them must be decided too. */
export const FixtureFacts = ToolFacts.extend({ risk: z.number().int(), quorum: z.number().int() });

const ToolChange = FixtureFacts.partial().extend({
  extractors: ToolFacts.shape.extractors.partial().optional(),
});
export type ToolChange = z.output<typeof ToolChange>;

/** A vouched, read-only, closed-world tool unless said otherwise. */
const ToolFixture = ToolChange.required({ server: true, raw_name: true, tenant: true });

const VoteFixture = z.strictObject({ by: z.string(), channel: Channel.default('interactive') });

/** What surrounds a question; each member overrides the file's. */
const circumstances = {
  profile: ProfileName.optional(),
  channel: Channel.optional(),
  ip: z.string().optional(),
  at: z.iso.datetime().optional(),
  tenants: z.record(z.string(), TenantChange).optional(),
  suspended: z.array(z.string()).optional(),
};

const toolCall = {
  principal: z.string(),
  agent: z.string().optional(),
  tool: z.string(),
  tool_is: ToolChange.optional(),
  /** Values as YAML, the exact text, or a text of so many levels or values. */
  arguments: z.record(z.string(), z.unknown()).optional(),
  arguments_text: z.string().optional(),
  arguments_of: z
    .strictObject({ levels: z.number().int() })
    .or(z.strictObject({ values: z.number().int() }))
    .optional(),
};

const Question = z.discriminatedUnion('ask', [
  /** The call as the pipeline asks it. */
  z.strictObject({ ask: z.literal('call'), ...toolCall, ...circumstances }),
  /** The release of a call by votes. */
  z.strictObject({
    ask: z.literal('release'),
    ...toolCall,
    ...circumstances,
    votes: z.array(VoteFixture),
    /** Seconds since the request. */
    age_seconds: z.number().default(10),
    lifetime_seconds: z.number().default(3_600),
    /** Instead of the parties the request really has. */
    parties: z.array(z.string()).optional(),
  }),
  /** Which of the file's tools are seen. */
  z.strictObject({
    ask: z.literal('list'),
    principal: z.string(),
    agent: z.string().optional(),
    ...circumstances,
  }),
  /** One question to Cedar about a tool, past the stages before it; `context` adds members to its context. */
  z.strictObject({
    ask: z.literal('cedar'),
    action: z.enum(['discoverTool', 'callTool', 'callToolUnattended', 'callToolApproved']),
    ...toolCall,
    ...circumstances,
    context: z.record(z.string(), z.unknown()).optional(),
    /** Entities that are left out, by type. */
    without: z.array(z.enum(['User', 'Tool', 'Tenant'])).optional(),
  }),
  /** One action that is no call. */
  z.strictObject({
    ask: z.literal('action'),
    action: z.union([z.literal('listTools'), AdminAction, z.enum(['readResource', 'getPrompt'])]),
    principal: z.string(),
    agent: z.string().optional(),
    /** Default: the principal's own. */
    tenant: z.string().optional(),
    authors: z.array(z.string()).optional(),
    server: z.string().optional(),
    ...circumstances,
  }),
  z.strictObject({
    ask: z.literal('approval'),
    action: ApprovalAction,
    principal: z.string(),
    agent: z.string().optional(),
    tool: z.string(),
    tool_is: ToolChange.optional(),
    parties: z.array(z.string()),
    expires_in_seconds: z.number().default(300),
    ...circumstances,
  }),
]);
export type Question = z.output<typeof Question>;

const Case = z.strictObject({
  case: z.string(),
  question: Question,
  decision: z.enum(['allow', 'deny', 'require_approval']).optional(),
  outcome: z.string().optional(),
  cause: z.string().optional(),
  /** Determining policies. */
  policies: z.array(z.string()).optional(),
  /** Public form `<server>/<raw name>` of the tools seen. */
  sees: z.array(z.string()).optional(),
});
export type Case = z.output<typeof Case> & {
  /** Where it stands in its file, from 1. */
  readonly line?: number;
};

export const CaseFile = z.strictObject({
  set: z.string().regex(/^(platform|starter|example-[a-z0-9-]+|tenant:[A-Za-z0-9._-]+)$/),
  profile: ProfileName.default('server-full'),
  channel: Channel.default('api'),
  ip: z.string().optional(),
  at: z.iso.datetime().default('2026-06-01T10:00:00.000Z'),
  tenants: z.record(z.string(), TenantFixture).default({}),
  principals: z.record(z.string(), PrincipalFixture).default({}),
  agents: z.record(z.string(), AgentFixture).default({}),
  tools: z.record(z.string(), ToolFixture).default({}),
  /** Policies besides those of the set, so that guards have something to guard. */
  policies: z.record(z.string(), z.string()).default({}),
  cases: z.array(Case).min(1),
});
export type CaseFile = Omit<z.output<typeof CaseFile>, 'cases'> & { readonly cases: readonly Case[] };
