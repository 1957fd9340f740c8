import { agentOf, type Principal, type TenantId, type TenantSettings } from '@uar/contracts';
import type { Clock } from '../call/ports.js';
import type { WaitingRoom } from './waiting-room.js';

type Suspended = TenantSettings['suspended'];

/** A decision made just before may let a call enter the room just after: it is looked at once more. */
const lookAgainMs = 3_000;

/** Ends what waits here for a human on behalf of whoever was suspended: an approval never outlives a denial. */
export class Suspension {
  private readonly timers = new Set<() => void>();

  constructor(
    private readonly parts: {
      readonly room: WaitingRoom;
      readonly clock: Clock;
      /** Nothing: not known, so nobody is ended for it; the PDP decides again before anything runs. */
      suspended(tenant: TenantId): Suspended | undefined;
    },
  ) {}

  /** The settings of the tenant may have changed. */
  enforce(tenant: TenantId): void {
    this.sweep(tenant);
    const end = this.parts.clock.after(lookAgainMs, () => {
      this.timers.delete(end);
      this.sweep(tenant);
    });
    this.timers.add(end);
  }

  close(): void {
    for (const end of this.timers) end();
    this.timers.clear();
  }

  private sweep(tenant: TenantId): void {
    const suspended = this.parts.suspended(tenant);
    if (suspended === undefined) return;
    for (const { call } of this.parts.room.all()) {
      const { principal } = call.caller;
      if (principal.tenant === tenant && isSuspended(principal, suspended)) call.interrupt('suspended');
    }
  }
}

function isSuspended(principal: Principal, { users, agents }: Suspended): boolean {
  const { kind, subject } = principal;
  const agent = agentOf(principal);
  return (kind === 'user' && users.includes(subject)) || (agent !== undefined && agents.includes(agent));
}
