import type { Bus } from '@uar/bus';
import { accountChanged } from '@uar/contracts';
import type { Accounts } from '../../domain/account/accounts.js';
import type { Fleet } from '../../domain/fleet.js';

/** Hears of credentials that were given, renewed or forgotten anywhere: what is known here is read again. */
export class AccountNews {
  private readonly unlisten: () => void;

  constructor({ bus, accounts, fleet }: { bus: Bus; accounts: Accounts; fleet: Pick<Fleet, 'find'> }) {
    this.unlisten = bus.listen(accountChanged, ({ account, ...change }) => {
      accounts.changed(account, change);
      if (account.principal === undefined) fleet.find(account.tenant, account.server)?.retry();
    });
  }

  stop(): void {
    this.unlisten();
  }
}
