import { z } from 'zod';
import { exchange } from '../exchange.js';
import { AskedTime, EpochMs, TenantId } from '../ids.js';
import { Outcome } from '../calls/outcome.js';
import { Caller, Capability, Channel, ProfileName } from '../principal.js';
import { ToolFacts } from '../catalog/tool.js';

/** A policy that decided, with its `@reason` where it has one. */
export const DeterminingPolicy = z.strictObject({ policy: z.string(), reason: z.string().optional() });
export type DeterminingPolicy = z.output<typeof DeterminingPolicy>;

export const DecisionKind = z.enum(['allow', 'require_approval', 'deny']);

/** What one party of the call was answered: the user, the agent, or each of both where an agent acts for a user. */
export const SubjectAnswer = z.strictObject({
  /** Cedar id. */
  principal: z.string(),
  result: z.enum(['passed', 'refused']),
  cause: z.string().optional(),
  determining: z.array(DeterminingPolicy),
});
export type SubjectAnswer = z.output<typeof SubjectAnswer>;

/** One stage of a call, in the order of DESIGN.md 3; every stage is asked, also behind the first that refuses. */
export const ExplainedStage = z.strictObject({
  stage: z.enum([
    'who',
    'name',
    'run',
    'shape',
    'quarantine',
    'discoverTool',
    'capability',
    'callTool',
    'callToolUnattended',
    'approval',
  ]),
  /** `needed` is said of `approval` alone: a human would be asked. */
  result: z.enum(['passed', 'refused', 'needed', 'not_asked']),
  cause: z.string().optional(),
  determining: z.array(DeterminingPolicy).optional(),
  subjects: z.array(SubjectAnswer).optional(),
  quorum: z.number().int().min(1).optional(),
  reasons: z.array(z.string()).optional(),
  /** Where arguments do not fit the schema. */
  details: z.unknown().optional(),
});
export type ExplainedStage = z.output<typeof ExplainedStage>;

/** The arguments as Cedar sees them. No values but those that our own extractors made of them. */
export const ExplainedArguments = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('read'),
    /** Type of what stands at each JSON pointer. */
    pointers: z.record(
      z.string(),
      z.enum(['string', 'number', 'decimal', 'boolean', 'set', 'null', 'unread']),
    ),
    path_roots: z.array(z.string()),
    hosts: z.array(z.string()),
    recipient_domains: z.array(z.string()),
    amount: z.string().optional(),
    lossless: z.boolean(),
    complete: z.boolean(),
  }),
  z.strictObject({ kind: z.literal('rejected'), problem: z.string() }),
]);
export type ExplainedArguments = z.output<typeof ExplainedArguments>;

export const ExplainedFacts = z.strictObject({
  principal: z.strictObject({
    id: z.string(),
    agent: z.string().optional(),
    roles: z.array(z.string()),
    groups: z.array(z.string()),
    mfa: z.boolean(),
    /** Absent: all of them. */
    capabilities: z.array(Capability).optional(),
  }),
  environment: z.strictObject({
    at: z.string(),
    channel: Channel,
    ip: z.string().optional(),
    profile: ProfileName,
    run_id: z.string(),
  }),
  tenant: z.strictObject({
    kill_switch: z.boolean(),
    enabled_families: z.array(z.string()),
    max_unattended_risk: z.number().int(),
  }),
  tool: ToolFacts,
  arguments: ExplainedArguments,
});
export type ExplainedFacts = z.output<typeof ExplainedFacts>;

/** What asked for the human. */
export const ExplainedGate = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('policy'), policy: z.string(), reason: z.string().optional() }),
  /** No policy lets the call run unattended. */
  z.strictObject({ kind: z.literal('no_permit') }),
  /** The run asks for a human where policy does not. */
  z.strictObject({ kind: z.literal('run') }),
  /** With Cedar switched off. */
  z.strictObject({ kind: z.literal('risk'), reason: z.string() }),
]);
export type ExplainedGate = z.output<typeof ExplainedGate>;

/** A part of a policy that would have to come out otherwise. `text` is Cedar. */
export const FailedCondition = z.strictObject({
  part: z.enum(['resource', 'when', 'unless']),
  text: z.string(),
  /** `erred`: it reads something that is not there. */
  found: z.enum(['true', 'false', 'erred']),
});
export type FailedCondition = z.output<typeof FailedCondition>;

const aboutQuestion = { action: z.string(), principal: z.string() };

/** The smallest changes of facts known to matter. */
export const ExplainHint = z.discriminatedUnion('kind', [
  /** It forbids. `held`: its conditions; were one of them otherwise, it would not. Empty: its scope alone. */
  z.strictObject({
    kind: z.literal('forbid'),
    ...aboutQuestion,
    ...DeterminingPolicy.shape,
    held: z.array(FailedCondition).optional(),
  }),
  /** It failed while it was evaluated, which refuses whatever the others say. */
  z.strictObject({
    kind: z.literal('error'),
    ...aboutQuestion,
    ...DeterminingPolicy.shape,
    held: z.array(FailedCondition).optional(),
  }),
  /** It permits this action to this principal, but not here; absent `fails`: what fails could not be found out. */
  z.strictObject({
    kind: z.literal('permit'),
    ...aboutQuestion,
    ...DeterminingPolicy.shape,
    fails: z.array(FailedCondition).optional(),
  }),
  /** No policy permits this action to this principal, whatever the tool and the arguments are. */
  z.strictObject({ kind: z.literal('no_permit'), ...aboutQuestion }),
  z.strictObject({ kind: z.literal('capability'), missing: z.array(Capability) }),
  /** The tool's definition awaits review, or a reviewer rejected it. */
  z.strictObject({ kind: z.literal('review') }),
  /** Nobody registered this agent. */
  z.strictObject({ kind: z.literal('agent'), agent: z.string() }),
]);
export type ExplainHint = z.output<typeof ExplainHint>;

/** What a decision says, wherever it is shown. */
export const verdict = {
  decision: DecisionKind,
  /** With `deny` alone. */
  outcome: Outcome.optional(),
  cause: z.string().optional(),
};

const explained = {
  ...verdict,
  governance: z.enum(['on', 'off']),
  policy_version: z.string(),
  determining: z.array(DeterminingPolicy),
  stages: z.array(ExplainedStage),
  gates: z.array(ExplainedGate),
  hints: z.array(ExplainHint),
};

export const CallExplanation = z.strictObject({
  ...explained,
  facts: ExplainedFacts,
  /** The caller may discover the tool; where not, a refusal of an earlier stage is `unknown_tool` too. */
  seen: z.boolean(),
});
export type CallExplanation = z.output<typeof CallExplanation>;

/** Answer of `POST /api/uar/governance/explain`. `facts` is null for a name that is not in the catalog. */
export const ExplanationView = z.strictObject({ ...explained, facts: ExplainedFacts.nullable() });
export type ExplanationView = z.output<typeof ExplanationView>;

/** Stages 5 and 6 of a call as they would be decided now, or at `at`; nothing is remembered, granted or recorded. */
export const explainCall = exchange({
  subject: 'uar.v1.governance.call.explain',
  ask: z.strictObject({
    caller: Caller,
    tool: ToolFacts,
    arguments_json: z.string(),
    at: EpochMs.optional(),
  }),
  answer: CallExplanation,
  deadlineMs: 15_000,
});

const names = z.array(z.string().min(1).max(256)).max(256);

/** Somebody who need not exist. What stands here holds instead of a token; claims and a second factor it has none. */
export const PrincipalSpec = z.strictObject({
  sub: z.string().min(1).max(256),
  /** The caller's own, which is the default. */
  tenant: TenantId.optional(),
  roles: names.optional(),
  groups: names.optional(),
  agent_id: z.string().min(1).max(256).optional(),
});
export type PrincipalSpec = z.output<typeof PrincipalSpec>;

/** Body of `POST /api/uar/governance/explain`; the caller itself where no principal is named. */
export const ExplainBody = z.strictObject({
  principal: PrincipalSpec.optional(),
  tool: z.string().min(1).max(256),
  arguments: z.record(z.string(), z.unknown()).optional(),
  run_id: z.string().max(64).optional(),
  /** Stands for the clock. */
  at: AskedTime.optional(),
});
