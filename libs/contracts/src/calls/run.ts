import { z } from 'zod';
import { AgentId, Scope } from '../agent.js';
import { announcement, exchange } from '../exchange.js';
import { EpochMs, RunId, TenantId } from '../ids.js';
import { Capability, Channel, Principal, RunLimits } from '../principal.js';
import { ReceiptBody, ReceiptPosition } from '../ledger/receipt.js';

export const RunStatus = z.enum(['active', 'completed', 'cancelled', 'expired']);
export type RunStatus = z.output<typeof RunStatus>;

/** The scopes that a run brings along; global and agent scopes stand elsewhere and change under it. */
const RunScopes = z.strictObject({ conversation: Scope.optional(), turn: Scope.optional() });

const shortestSeconds = 1;
const longestSeconds = 30 * 86_400;

/** Body of `POST /api/uar/runs`. */
export const RunBody = z.strictObject({
  /** The token's own agent, or one that the user owns; absent: the token's. */
  agent_id: AgentId.optional(),
  conversation_id: z.string().min(1).max(256).optional(),
  scopes: RunScopes.optional(),
  ttl_seconds: z.number().int().min(shortestSeconds).max(longestSeconds).default(86_400),
});
export type RunBody = z.output<typeof RunBody>;

/** Body of `PATCH /api/uar/runs/{id}`: each named scope replaces the run's, and may only take away. */
export const RunPatch = z.strictObject({ scopes: RunScopes });
export type RunPatch = z.output<typeof RunPatch>;

/** Something in a scope that has no effect, or not the one it seems to have; never a refusal. */
export const ScopeWarning = z.strictObject({
  code: z.enum(['unknown_id', 'selected_without_ids', 'nothing_can_run']),
  /** Which member of which scope, e.g. `turn.tools.ids`. */
  key: z.string().optional(),
  message: z.string(),
});
export type ScopeWarning = z.output<typeof ScopeWarning>;

/** What a run may use now: ended runs nothing. Public tool names, and the servers whose tools they may be. */
export const EffectiveView = z.strictObject({
  tools: z.array(z.string()),
  mcp_servers: z.array(z.string()),
  tool_approval: RunLimits.shape.tool_approval,
  capabilities: z.array(Capability),
});
export type EffectiveView = z.output<typeof EffectiveView>;

export const RunView = z.strictObject({
  run_id: RunId,
  status: RunStatus,
  agent_id: AgentId.optional(),
  conversation_id: z.string().optional(),
  effective: EffectiveView,
  warnings: z.array(ScopeWarning),
  events_url: z.string(),
});
export type RunView = z.output<typeof RunView>;

/** A run as the ledger keeps it. */
export const StoredRun = z.strictObject({
  run_id: RunId,
  tenant: TenantId,
  /** Who opened it, and how: whoever may look at it sees what this principal could use. */
  owner: z.strictObject({ principal: Principal, channel: Channel }),
  agent_id: AgentId.optional(),
  conversation_id: z.string().optional(),
  /** Never `expired`: that is what an active run becomes by the clock. */
  status: z.enum(['active', 'completed', 'cancelled']),
  scopes: RunScopes,
  /** A human was to be asked about every call before `tool_approval` became `deny`: that gate stays. */
  asks_always: z.boolean(),
  created_at: EpochMs,
  expires_at: EpochMs,
});
export type StoredRun = z.output<typeof StoredRun>;

/** Compare and set: `if_revision` 0 = must not exist. Durable when answered, `receipt` with it: both or neither. */
export const putRun = exchange({
  subject: 'uar.v1.ledger.runs.put',
  ask: z.strictObject({
    run: StoredRun,
    if_revision: z.number().int().nonnegative(),
    /** The run may be forgotten from then on. */
    kept_until: EpochMs,
    receipt: ReceiptBody.optional(),
  }),
  answer: z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('written'),
      revision: z.number().int().positive(),
      receipt: ReceiptPosition.optional(),
    }),
    z.strictObject({ kind: z.literal('conflict'), revision: z.number().int() }),
  ]),
  deadlineMs: 3_000,
});

export const readRun = exchange({
  subject: 'uar.v1.ledger.runs.read',
  ask: z.strictObject({ tenant: TenantId, run_id: RunId }),
  answer: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('found'), run: StoredRun, revision: z.number().int().positive() }),
    z.strictObject({ kind: z.literal('not_found') }),
  ]),
  deadlineMs: 3_000,
});

/** A run was narrowed or ended: whoever holds it reads it again. Not told of new runs. */
export const runChanged = announcement({
  subject: 'uar.v1.event.run.changed',
  body: z.strictObject({ tenant: TenantId, run_id: RunId, revision: z.number().int().positive() }),
});

/** Namespace of the ledger's settings in which each tenant's global scope stands, and its only key. */
export const runPolicyNamespace = 'run-policy';
export const runPolicyKey = 'scope';
