import { z } from 'zod';
import { EpochMs, RunId, TenantId } from './ids.js';

export const Capability = z.enum(['read', 'write', 'execute', 'network', 'memory']);
export type Capability = z.output<typeof Capability>;

export const ProfileName = z.enum(['minimal', 'server-full', 'embedded-mobile']);
export type ProfileName = z.output<typeof ProfileName>;

/** How a request reached us (GOVERNANCE.md 3): a person at the HTTP API, any MCP endpoint or service account, or the system. */
export const Channel = z.enum(['interactive', 'background', 'api']);
export type Channel = z.output<typeof Channel>;

/** Whom a verified bearer token speaks for. `user` with `agent_id` is an agent acting for that user (RFC 8693 `act`). */
export const Principal = z.strictObject({
  issuer: z.string(),
  subject: z.string().min(1).max(256),
  tenant: TenantId,
  kind: z.enum(['user', 'agent']),
  roles: z.array(z.string().max(256)).max(256),
  groups: z.array(z.string().max(256)).max(256),
  agent_id: z.string().min(1).max(256).optional(),
  scopes: z.array(z.string()),
  /** Absent: the principal holds every capability. */
  capabilities: z.array(Capability).optional(),
  mfa: z.boolean(),
  /** Verified string claims, tags of the Cedar principal. */
  claims: z.record(z.string(), z.string()),
  expires_at: EpochMs,
});
export type Principal = z.output<typeof Principal>;

/** What a run leaves of its principal's rights (DESIGN.md 6). */
export const RunLimits = z.strictObject({
  /** `auto`: a human where the decision needs one; `ask`: always; `deny`: what would need one is refused. */
  tool_approval: z.enum(['auto', 'ask', 'deny']),
  /** Absent: those of the principal. */
  capabilities: z.array(Capability).optional(),
});
export type RunLimits = z.output<typeof RunLimits>;

/** Who asks, through what, in which run: the part of a question that every stage shares. */
export const Caller = z.strictObject({
  principal: Principal,
  channel: Channel,
  ip: z.string().optional(),
  run_id: RunId,
  session_id: z.string(),
  /** Absent: the run takes nothing away. */
  run_limits: RunLimits.optional(),
});
export type Caller = z.output<typeof Caller>;

/** The agent a principal is, or acts through. */
export function agentOf({
  kind,
  subject,
  agent_id,
}: Pick<Principal, 'kind' | 'subject' | 'agent_id'>): string | undefined {
  return kind === 'agent' ? subject : agent_id;
}

/** The Cedar id by which receipts, grants, votes and logs name a principal: `User::"<tenant>/<sub>"` or `Agent::"<tenant>/<id>"`. */
export function principalId(principal: Principal): string {
  const type = principal.kind === 'agent' ? 'Agent' : 'User';
  return `${type}::${JSON.stringify(`${principal.tenant}/${principal.subject}`)}`;
}
