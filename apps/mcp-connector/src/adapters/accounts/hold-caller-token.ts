import { CallerTokenClaims } from '@uar/contracts';
import type { JweRecipient } from '@uar/keys';
import type { Log } from '@uar/telemetry';
import type { CallerTokens } from '../../domain/exchange/caller-tokens.js';
import type { HoldCallerToken } from '../../domain/calls/host-calls.js';

export interface CallerTokenWorld {
  readonly recipient: JweRecipient;
  readonly callers: CallerTokens;
  readonly log: Log;
}

/** Reads what a gateway encrypted to this instance. What is for another call is none, and the call goes on without. */
export function holdCallerToken({ recipient, callers, log }: CallerTokenWorld): HoldCallerToken {
  return async ({ caller_token = '', call_id, tenant, server }, principal) => {
    const claims = await claimsIn(caller_token, recipient);
    if (claims?.call_id !== call_id || claims.tenant !== tenant || claims.server !== server) {
      log.warn({ call_id, tenant, server }, 'the token of a caller came with a call that it is not for');
      return () => undefined;
    }
    const { token, expires_at: expiresAt } = claims;
    return callers.hold({ tenant, server, principal }, call_id, { token, expiresAt });
  };
}

async function claimsIn(jwe: string, recipient: JweRecipient): Promise<CallerTokenClaims | undefined> {
  try {
    return CallerTokenClaims.parse(JSON.parse(await recipient.decrypt(jwe)));
  } catch {
    return undefined;
  }
}
