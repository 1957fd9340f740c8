import type { Bus } from '@uar/bus';
import { Digest, EpochMs, ReceiptBody, keepAuthorization, takeAuthorization } from '@uar/contracts';
import type { Seal } from '@uar/keys';
import { z } from 'zod';
import { digestOf } from '../../domain/account/credentials.js';
import type { AuthorizationStore, PendingAuthorization } from '../../domain/account/ports.js';
import { AccountSeal } from './account-seal.js';

const away = { kind: 'unavailable' } as const;
const Begun = z.strictObject({
  binding: Digest,
  pending: z.string(),
  expiresAt: EpochMs,
  receipt: ReceiptBody,
});

/** Begun authorizations in the ledger, sealed, and known there by the digest of their state alone. */
export class LedgerAuthorizations implements AuthorizationStore {
  private readonly seal: AccountSeal<z.output<typeof Begun>>;

  constructor(
    private readonly bus: Bus,
    seal: Seal,
  ) {
    this.seal = new AccountSeal(seal, 'authorization', Begun);
  }

  async keep({ account, state, ...rest }: PendingAuthorization): ReturnType<AuthorizationStore['keep']> {
    const state_digest = digestOf(state);
    const reply = await this.bus.ask(keepAuthorization, {
      ...{ account, state_digest, expires_at: rest.expiresAt },
      sealed: this.seal.close(rest, account, state_digest),
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
    const opened = this.seal.open(sealed, account, state_digest);
    return opened === undefined ? { kind: 'unknown' } : { kind: 'taken', account, state, ...opened };
  }
}
