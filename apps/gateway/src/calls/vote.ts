import type { Bus } from '@uar/bus';
import { castVote, readApproval, type ApprovalView, type Caller } from '@uar/contracts';
import type { z } from 'zod';
import type { KillSwitch } from '../domain/settings/kill-switch.js';
import type { DecisionBody } from '../http/asks.js';
import { asked } from '../http/asked.js';
import { Refusal, forbidden, notAvailable, notFound } from '../http/refusal.js';

export interface AboutApproval {
  readonly caller: Caller;
  readonly approval_id: string;
}

export interface Ballot {
  readonly bus: Bus;
  readonly killSwitch: KillSwitch;
}

export function noApproval(): Refusal {
  return notFound('There is no approval of this id for you.');
}

/** One vote, whichever way it came: the record as it stands after it. Throws a `Refusal` where it does not count. */
export async function castVoteOf(
  ballot: Ballot,
  about: AboutApproval,
  vote: z.output<typeof DecisionBody>,
): Promise<ApprovalView> {
  if (vote.decision === 'approve') await refuseUnderKillSwitch(ballot, about);
  const answer = await asked(ballot.bus, castVote, { ...about, ...vote });
  switch (answer.kind) {
    case 'counted':
      return answer.approval;
    case 'not_found':
      throw noApproval();
    case 'forbidden':
      throw forbidden();
    case 'not_pending':
      throw new Refusal(409, 'approval_not_pending', {
        message: 'The approval is not pending any more.',
        details: { status: answer.status },
      });
    case 'unavailable':
      throw notAvailable();
  }
}

/** Nothing would run: whoever approves now would let it run unseen once the switch is off again. */
async function refuseUnderKillSwitch({ bus, killSwitch }: Ballot, about: AboutApproval): Promise<void> {
  switch (killSwitch.of(about.caller.principal.tenant)) {
    case 'off':
      return;
    case 'unknown':
      throw notAvailable();
    case 'on': {
      const found = await asked(bus, readApproval, about);
      if (found.kind === 'not_found') throw noApproval();
      throw new Refusal(409, 'kill_switch_on', {
        message:
          'The kill switch of the tenant is on: nothing is approved. Reject, or ask again once PUT /api/uar/settings/tenant has turned kill_switch off.',
      });
    }
  }
}
