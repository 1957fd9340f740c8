import type { Bus } from '@uar/bus';
import { Digest, EpochMs, keepAuthorization, takeAuthorization, type AccountId } from '@uar/contracts';
import type { Seal } from '@uar/keys';
import { z } from 'zod';
import { digestOf } from '../../domain/account/credentials.js';
import type { AuthorizationStore, PendingAuthorization } from '../../domain/account/ports.js';

const away = { kind: 'unavailable' } as const;
const Sealed = z.strictObject({ binding: Digest, pending: z.string(), expiresAt: EpochMs });

/** Begun authorizations in the ledger, sealed, and known there by the digest of their state alone. */
export class LedgerAuthorizations implements AuthorizationStore {
  constructor(
    private readonly bus: Bus,
    private readonly seal: Seal,
  ) {}

  async keep({ account, state, ...rest }: PendingAuthorization): ReturnType<AuthorizationStore['keep']> {
    const state_digest = digestOf(state);
    const reply = await this.bus.ask(keepAuthorization, {
      ...{ account, state_digest, expires_at: rest.expiresAt },
      sealed: this.seal.seal(JSON.stringify(rest), purposeOf(account, state_digest)),
    });
    return reply.kind === 'answered' ? { kind: 'kept' } : away;
  }

  async take(state: string): ReturnType<AuthorizationStore['take']> {
    const state_digest = digestOf(state);
    const reply = await this.bus.ask(takeAuthorization, { state_digest });
    if (reply.kind !== 'answered') return away;
    const { value } = reply;
    if (value.kind !== 'taken') return { kind: value.kind };
    const { account, sealed } = value;
    const opened = this.opened(sealed, purposeOf(account, state_digest));
    return opened === undefined ? { kind: 'unknown' } : { kind: 'taken', account, state, ...opened };
  }

  private opened(sealed: string, purpose: string): z.output<typeof Sealed> | undefined {
    try {
      return Sealed.parse(JSON.parse(this.seal.open(sealed, purpose)));
    } catch {
      return undefined;
    }
  }
}

function purposeOf({ tenant, server, principal }: AccountId, digest: Digest): string {
  return `authorization ${JSON.stringify([tenant, server, principal ?? null, digest])}`;
}
