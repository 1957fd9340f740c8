import type { Bus } from '@uar/bus';
import { listApprovals, type Caller } from '@uar/contracts';
import { asked } from '../http/asked.js';
import { Refusal, notFound } from '../http/refusal.js';

const pageSize = 200;
const mostPages = 10;

/** Ids of the pending approvals of a run that the caller may see: the named one alone where one is named. */
export async function pendingOf(
  bus: Bus,
  of: { readonly caller: Caller; readonly runId: string; readonly named: string | undefined },
): Promise<readonly string[]> {
  const found: string[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < mostPages; page += 1) {
    const { approvals, next_cursor } = await asked(bus, listApprovals, {
      ...{ caller: of.caller, status: 'pending', limit: pageSize },
      ...(cursor === undefined ? {} : { cursor }),
    });
    const ofRun = approvals.filter(({ run_id }) => run_id === of.runId);
    found.push(...ofRun.map(({ approval_id }) => approval_id));
    if (next_cursor === undefined) break;
    cursor = next_cursor;
  }
  return of.named === undefined ? found : found.filter((id) => id === of.named);
}

export function theOnly(pending: readonly string[]): string {
  const [only, another] = pending;
  if (only === undefined) throw notFound('The run waits for no approval of this id that is yours to see.');
  if (another === undefined) return only;
  throw new Refusal(409, 'approval_ambiguous', {
    message: 'The run waits for more than one approval: name one as approval_id.',
    details: { approval_ids: pending },
  });
}
