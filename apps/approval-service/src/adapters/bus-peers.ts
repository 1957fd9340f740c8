import { signOfLife, type Bus } from '@uar/bus';
import {
  approvalRequired,
  approvalSettled,
  authorizeActions,
  readPresence,
  reviewVotes,
  type ActionQuestion,
  type AskOf,
  type Caller,
} from '@uar/contracts';
import type { Announcer, ApprovalRecord, Authority, CallHolder } from '../domain/ports.js';
import type { Sign } from '../domain/presence.js';

/** The governance-decider. */
export class BusAuthority implements Authority {
  constructor(private readonly bus: Bus) {}

  async authorize(caller: Caller, questions: readonly ActionQuestion[]) {
    const reply = await this.bus.ask(authorizeActions, { caller, questions: [...questions] });
    if (reply.kind === 'answered') return { kind: 'decided' as const, ...reply.value };
    return { kind: 'unreachable' as const, cause: reply.fault };
  }
}

/** The gateway instance named in the draft. */
export class BusCallHolder implements CallHolder {
  constructor(private readonly bus: Bus) {}

  async review(gateway: string, ask: AskOf<typeof reviewVotes>) {
    const reply = await this.bus.ask(reviewVotes, ask, { to: gateway });
    if (reply.kind === 'answered') return reply.value.kind;
    // Arguments of a waiting call live in that instance alone: nobody there, nobody waits.
    return reply.fault === 'no_responders' ? 'gone' : 'unknown';
  }
}

/** Whether a gateway instance is there. */
export async function signOf(bus: Bus, gateway: string): Promise<Sign> {
  return signOfLife(await bus.ask(readPresence, {}, { to: gateway }));
}

export class BusAnnouncer implements Announcer {
  constructor(private readonly bus: Bus) {}

  required({ draft: { approval_id, call_id, requester } }: ApprovalRecord): void {
    this.bus.announce(approvalRequired, { tenant: requester.tenant, approval_id, call_id });
  }

  settled({ draft: { approval_id, call_id, requester }, status }: ApprovalRecord): void {
    this.bus.announce(approvalSettled, { tenant: requester.tenant, approval_id, call_id, status });
  }
}
