import {
  agentOf,
  principalId,
  type ApprovalResource,
  type ApprovalView,
  type Principal,
} from '@uar/contracts';
import { statusAt } from './approval-steps.js';
import type { AgentOwners, ApprovalRecord, VoteRecord } from './ports.js';

type Level = ApprovalView['risk']['level'];

const approversText = 'anyone whom policy lets approve';

/** GOVERNANCE.md 2: 0-1 low, 2 medium, 3 high, 4 critical. */
function riskLevel(risk: number): Level {
  if (risk <= 1) return 'low';
  if (risk === 2) return 'medium';
  return risk === 3 ? 'high' : 'critical';
}

export function approvalView(record: ApprovalRecord, now: number): ApprovalView {
  const { draft } = record;
  const status = statusAt(record, now);
  return {
    approval_id: draft.approval_id,
    call_id: draft.call_id,
    run_id: draft.run_id,
    tool: draft.tool_name,
    server: draft.tool.server,
    requester: principalId(draft.requester),
    arguments_preview: isOpen(status) ? draft.arguments_preview : '',
    arguments_digest: draft.arguments_digest,
    definition_digest: draft.tool.definition_digest,
    risk: { level: riskLevel(draft.tool.risk), reasons: draft.reasons },
    rule: { quorum: draft.quorum, approvers: approversText },
    votes: record.votes.map(voteView),
    status,
    created_at: new Date(record.createdAt).toISOString(),
    expires_at: new Date(draft.expires_at).toISOString(),
  };
}

/** What was asked is shown only while it may still be answered or run (DESIGN.md 9). */
function isOpen(status: ApprovalRecord['status']): boolean {
  return status === 'pending' || status === 'approved';
}

function voteView({ voter, decision, reason, at }: VoteRecord): ApprovalView['votes'][number] {
  const vote = { by: principalId(voter), decision, at: new Date(at).toISOString() };
  return reason === undefined ? vote : { ...vote, reason };
}

type OwnerOf = Awaited<ReturnType<AgentOwners['read']>>;

/** What the PDP judges votes and views on: parties are the requester and, for an agent, whoever owns it. */
export async function approvalResources(
  records: readonly ApprovalRecord[],
  owners: AgentOwners,
): Promise<readonly ApprovalResource[]> {
  const hasAgent = records.some(({ draft }) => agentOf(draft.requester) !== undefined);
  const ownerOf: OwnerOf = hasAgent ? await owners.read() : () => undefined;
  return records.map((record) => approvalResource(record, ownerOf));
}

function approvalResource({ draft }: ApprovalRecord, ownerOf: OwnerOf): ApprovalResource {
  const { requester } = draft;
  const agentId = agentOf(requester);
  const owner = agentId === undefined ? undefined : ownerOf(requester.tenant, agentId);
  return {
    approval_id: draft.approval_id,
    tenant: requester.tenant,
    tool: draft.tool,
    parties: owner === undefined ? [requester] : [requester, ownerOfAgent(owner, requester)],
    expires_at: draft.expires_at,
  };
}

/** The owner is known by name alone: nothing else about them is claimed. */
function ownerOfAgent(subject: string, { issuer, tenant, expires_at }: Principal): Principal {
  const nothing = { roles: [], groups: [], scopes: [], mfa: false, claims: {} };
  return { issuer, subject, tenant, kind: 'user', expires_at, ...nothing };
}
