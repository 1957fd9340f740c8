import { z } from 'zod';
import { Capability } from './principal.js';

/** Which tools or MCP servers a scope leaves. Absent `ids` = all where `mode` says so, empty = none (DESIGN.md 6). */
export const Selection = z.strictObject({
  mode: z.enum(['inherit', 'auto', 'all', 'none', 'selected']),
  /** Public tool names, or names of servers. */
  ids: z.array(z.string().min(1).max(128)).max(5_000).optional(),
  /** Always removed, whatever the mode. */
  denied_ids: z.array(z.string().min(1).max(128)).max(5_000).optional(),
});
export type Selection = z.output<typeof Selection>;

/** A scope travels in messages of the bus, with others. */
const longestScope = 128 * 1024;

/** One of the scopes global, agent, conversation and turn: each can only narrow what the outer ones leave (API.md 4). */
export const Scope = z
  .strictObject({
    tools: Selection.optional(),
    mcp_servers: Selection.optional(),
    tool_approval: z.enum(['inherit', 'auto', 'ask', 'deny']).optional(),
    capabilities: z.array(Capability).max(5).optional(),
  })
  .refine((scope) => JSON.stringify(scope).length <= longestScope, {
    message: `longer than ${longestScope} characters`,
  });
export type Scope = z.output<typeof Scope>;

/** Id of an agent as it stands in Cedar ids and in the token's claim. */
export const AgentId = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:@-]{0,127}$/);

/** Body of `PUT /api/uar/agents/{id}`, and what the ledger keeps under namespace `agent`. */
export const AgentBody = z.strictObject({
  title: z.string().min(1).max(200),
  description: z.string().max(4_000),
  /** Subject of the user who answers for it. */
  owner: z.string().min(1).max(256),
  /** Cedar `AgentClass`. */
  class: z.string().min(1).max(128).optional(),
  max_risk: z.number().int().min(0).max(4).default(2),
  scope: Scope,
  capabilities: z.array(Capability).max(5).optional(),
});
export type AgentBody = z.output<typeof AgentBody>;

export const AgentView = AgentBody.extend({ id: AgentId });
export type AgentView = z.output<typeof AgentView>;

/** Namespace of the ledger's settings in which registered agents stand, by id. */
export const agentsNamespace = 'agent';
