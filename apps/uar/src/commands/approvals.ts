import { z } from 'zod';
import { askFor } from '../client/answer.js';
import { connectTarget } from '../client/target.js';
import { json, table } from '../output.js';
import { exit, type ExitCode, type World } from '../world.js';

const Approval = z.looseObject({
  approval_id: z.string(),
  tool: z.string(),
  requester: z.string(),
  arguments_preview: z.string(),
  risk: z.looseObject({ level: z.string() }),
  status: z.string(),
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
  const approval = await askFor(connectTarget(world), {
    method: 'POST',
    path: `${base}/${encodeURIComponent(id)}/decision`,
    body: JSON.stringify(reason === undefined ? { decision } : { decision, reason }),
    answer: Approval,
  });
  world.out(options.json ? json(approval) : `${approval.approval_id} is ${approval.status}\n`);
  return exit.ok;
}
