import type { Caller, CallerTokenClaims, CatalogServer, InstanceId } from '@uar/contracts';
import { encryptTo } from '@uar/keys';
import { bearerOf, type CallerBearer } from '../../domain/access/caller-bearers.js';
import type { CallerTokens, Clock } from '../../domain/call/ports.js';
import type { HostPulse } from './host-pulse.js';

/** Tokens of callers, each encrypted to the one host instance that is about to run the call. */
export class SealedCallerTokens implements CallerTokens {
  constructor(
    private readonly pulse: Pick<HostPulse, 'tokenKeyOf'>,
    private readonly clock: Pick<Clock, 'now'>,
  ) {}

  async forHost(
    { callId, callers }: Parameters<CallerTokens['forHost']>[0],
    { tenant, name: server }: CatalogServer,
    to: InstanceId,
  ): Promise<string | undefined> {
    const bearer = this.longest(callers);
    const key = this.pulse.tokenKeyOf(to);
    if (bearer === undefined || key === undefined) return undefined;
    const claims: CallerTokenClaims = {
      ...{ call_id: callId, tenant, server },
      token: bearer.token,
      expires_at: bearer.expiresAt,
    };
    return await encryptTo(key, JSON.stringify(claims));
  }

  /** A caller may have come back to the call with a newer one. */
  private longest(callers: readonly Caller[]): CallerBearer | undefined {
    const now = this.clock.now();
    const bearers = callers.map(({ principal }) => bearerOf(principal));
    return bearers
      .filter((bearer) => bearer !== undefined)
      .filter(({ expiresAt }) => expiresAt > now)
      .toSorted((one, other) => other.expiresAt - one.expiresAt)[0];
  }
}
