import type { Bus } from '@uar/bus';
import {
  leaseAccount,
  readAccount,
  writeAccount,
  type AccountId,
  type Digest,
  type StoredAccount,
} from '@uar/contracts';
import type { Seal } from '@uar/keys';
import { z } from 'zod';
import type { CredentialStore, Kept, NextCredentials } from '../../domain/account/ports.js';
import { Pinned, Tokens } from '../oauth/oauth-types.js';
import { AccountSeal } from './account-seal.js';

/** Longer than anybody waits for an authorization server. */
const leaseMs = 30_000;
const away = { kind: 'unavailable' } as const;
const Sealed = z.union([Tokens, Pinned]);

/** Credentials in the ledger, sealed before they leave this process, each for its account alone. */
export class LedgerCredentials implements CredentialStore {
  private readonly seal: AccountSeal<z.output<typeof Sealed>>;

  constructor(
    private readonly bus: Bus,
    seal: Seal,
  ) {
    this.seal = new AccountSeal(seal, 'account', Sealed);
  }

  async read(account: AccountId, binding: Digest): Promise<Kept | typeof away> {
    const reply = await this.bus.ask(readAccount, { account });
    return reply.kind === 'answered' ? this.kept(account, binding, reply.value.stored) : away;
  }

  async write(
    account: AccountId,
    { binding, ifRevision, credentials, issuer, receipt }: NextCredentials,
  ): ReturnType<CredentialStore['write']> {
    const value = credentials ?? (issuer === undefined ? undefined : { issuer });
    const reply = await this.bus.ask(writeAccount, {
      ...{ account, binding, if_revision: ifRevision },
      ...(receipt === undefined ? {} : { receipt }),
      ...(value === undefined ? {} : { sealed: this.seal.close(Sealed.parse(value), account, binding) }),
    });
    if (reply.kind !== 'answered') return away;
    return reply.value.kind === 'written' ? reply.value : { kind: 'conflict' };
  }

  async lease(account: AccountId, ifRevision: number): ReturnType<CredentialStore['lease']> {
    const reply = await this.bus.ask(leaseAccount, this.lent(account, ifRevision, leaseMs));
    if (reply.kind !== 'answered') return away;
    const { value } = reply;
    return value.kind === 'held' ? { kind: 'held', freeInMs: value.free_in_ms } : { kind: value.kind };
  }

  async release(account: AccountId, ifRevision: number): Promise<void> {
    await this.bus.ask(leaseAccount, this.lent(account, ifRevision, 0));
  }

  private lent(account: AccountId, if_revision: number, lease_ms: number) {
    return { account, holder: this.bus.instance, lease_ms, if_revision };
  }

  private kept(account: AccountId, binding: Digest, stored: StoredAccount): Kept {
    const { revision, sealed } = stored;
    if (sealed === undefined || stored.binding !== binding) return { revision };
    const opened = this.seal.open(sealed, account, binding);
    if (opened === undefined) return { revision };
    return 'issuer' in opened ? { revision, issuer: opened.issuer } : { revision, credentials: opened };
  }
}
