import { ApprovalStatus, Vote } from '@uar/contracts';
import { z } from 'zod';
import { answered, askFor, refusal, shaped } from '../client/answer.js';
import type { GatewayClient } from '../client/gateway-client.js';
import { connectTarget } from '../client/target.js';
import { json, plain, table } from '../output.js';
import { exit, type CommandFailure, type ExitCode, type World } from '../world.js';

const Approval = z.looseObject({
  approval_id: z.string(),
  tool: z.string(),
  requester: z.string(),
  arguments_preview: z.string(),
  risk: z.looseObject({ level: z.string() }),
  status: z.string(),
});
const EndedApproval = Approval.extend({
  status: ApprovalStatus,
  votes: z.array(Vote),
  expires_at: z.string(),
});
const Page = z.object({ approvals: z.array(Approval), next_cursor: z.string().optional() });

const base = '/api/uar/approvals';

/** Those one may decide and one's own; the pending ones unless `status` says otherwise. */
export async function listApprovals(
  world: World,
  options: { status: string; json: boolean },
): Promise<ExitCode> {
  const client = connectTarget(world);
  const approvals: z.output<typeof Approval>[] = [];
  let cursor: string | undefined;
  do {
    const query = new URLSearchParams(options.status === 'all' ? {} : { status: options.status });
    if (cursor !== undefined) query.set('cursor', cursor);
    const page = await askFor(client, { method: 'GET', path: `${base}?${query}`, answer: Page });
    approvals.push(...page.approvals);
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  const rows = approvals.map((approval) => [
    approval.approval_id,
    approval.status,
    approval.risk.level,
    approval.tool,
    approval.requester,
    approval.arguments_preview.slice(0, 80),
  ]);
  const headings = ['APPROVAL', 'STATUS', 'RISK', 'TOOL', 'REQUESTER', 'ARGUMENTS'];
  world.out(options.json ? json({ approvals }) : table(headings, rows));
  return exit.ok;
}

export interface Decide {
  readonly id: string;
  readonly decision: 'approve' | 'reject';
  readonly reason?: string;
  readonly json: boolean;
}

export async function decideApproval(world: World, options: Decide): Promise<ExitCode> {
  const { id, decision, reason } = options;
  const client = connectTarget(world);
  const path = `${base}/${encodeURIComponent(id)}`;
  const body = JSON.stringify(reason === undefined ? { decision } : { decision, reason });
  const sent = await client.send({ method: 'POST', path: `${path}/decision`, body });
  const { status, text } = answered(client, sent);
  if (status === 409)
    return tellEnd(world, { client, path, refused: refusal(status, text), json: options.json });
  if (status !== 200) throw refusal(status, text);
  const approval = shaped(client, text, Approval);
  world.out(options.json ? json(approval) : `${approval.approval_id} is ${approval.status}\n`);
  return exit.ok;
}

interface TooLate {
  readonly client: GatewayClient;
  readonly path: string;
  /** What the decision was answered with. */
  readonly refused: CommandFailure;
  readonly json: boolean;
}

/** The vote came too late: how the approval ended, and by whom. */
async function tellEnd(world: World, { client, path, refused, json: asJson }: TooLate): Promise<ExitCode> {
  const { status, text } = answered(client, await client.send({ method: 'GET', path }));
  if (status !== 200) throw refused;
  const approval = shaped(client, text, EndedApproval);
  const { approval_id: id, votes } = approval;
  if (asJson) world.out(json(approval));
  world.err(`approval_not_pending: ${id} is ${approval.status}: ${endingOf(approval)}\n`);
  for (const { by, decision, at, reason } of votes)
    world.err(plain(`  ${decision} by ${by} at ${at}${reason === undefined ? '' : `: ${reason}`}\n`));
  return exit.failed;
}

function endingOf({ status, expires_at: expiresAt }: z.output<typeof EndedApproval>): string {
  switch (status) {
    case 'pending':
      return 'it can be decided; try again';
    case 'approved':
      return 'it was approved, and its call is about to be let run';
    case 'rejected':
      return 'it was rejected, and nothing ran';
    case 'expired':
      return `nobody decided before ${expiresAt}, and nothing ran`;
    case 'cancelled':
      return 'its call was cancelled or may not run any more';
    case 'channel_closed':
      return 'whoever waited for it is gone, and nothing ran';
    case 'consumed':
      return 'it was approved, and its call was let run';
  }
}
