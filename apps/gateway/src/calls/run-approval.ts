import type { Bus } from '@uar/bus';
import { listApprovals, readApproval, type Caller } from '@uar/contracts';
import { asked } from '../http/asked.js';
import { Refusal, notFound } from '../http/refusal.js';

const pageSize = 200;
const mostPages = 10;

/** A run whose approval the caller wants to decide. */
interface AboutRun {
  readonly caller: Caller;
  readonly runId: string;
}

interface Pending {
  readonly ids: readonly string[];
  /** There may be more: not every page was looked at. */
  readonly isCut: boolean;
}

/**
 * The id of the approval that a vote on the run is for: the named one, whatever its status, where it is one of the run; else
 * the only pending one. 404 where there is none that the caller may see, 409 `approval_ambiguous` where it must be named.
 */
export async function approvalOfRun(bus: Bus, of: AboutRun, named: string | undefined): Promise<string> {
  if (named === undefined) return theOnly(await pendingOf(bus, of));
  const answer = await asked(bus, readApproval, { caller: of.caller, approval_id: named });
  if (answer.kind === 'not_found' || answer.approval.run_id !== of.runId) throw noneToSee();
  return named;
}

async function pendingOf(bus: Bus, { caller, runId }: AboutRun): Promise<Pending> {
  const ids: string[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < mostPages; page += 1) {
    const { approvals, next_cursor } = await asked(bus, listApprovals, {
      ...{ caller, status: 'pending', limit: pageSize },
      ...(cursor === undefined ? {} : { cursor }),
    });
    const ofRun = approvals.filter(({ run_id }) => run_id === runId);
    ids.push(...ofRun.map(({ approval_id }) => approval_id));
    if (next_cursor === undefined) return { ids, isCut: false };
    cursor = next_cursor;
  }
  return { ids, isCut: true };
}

function theOnly({ ids, isCut }: Pending): string {
  const [only, another] = ids;
  if (!isCut && only === undefined) throw noneToSee();
  if (!isCut && only !== undefined && another === undefined) return only;
  throw new Refusal(409, 'approval_ambiguous', {
    message: isCut
      ? 'More approvals are pending than are searched for those of one run: name one as approval_id.'
      : 'The run waits for more than one approval: name one as approval_id.',
    details: { approval_ids: ids },
  });
}

function noneToSee(): Refusal {
  return notFound('The run waits for no approval of this id that is yours to see.');
}
