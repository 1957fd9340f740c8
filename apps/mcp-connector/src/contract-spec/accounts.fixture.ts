import { generateKeyPairSync, randomBytes } from 'node:crypto';
import type { Bus } from '@uar/bus';
import {
  accountChanged,
  keepAuthorization,
  leaseAccount,
  readAccount,
  takeAuthorization,
  writeAccount,
} from '@uar/contracts';
import { createSeal } from '@uar/keys';
import { openLedger, type Ledger } from '@uar/ledger';

/** A real ledger in memory behind the approval-service's exchanges about accounts. */
export async function accountLedger(bus: Bus): Promise<Ledger> {
  const ledger = await openLedger({
    file: ':memory:',
    seal: createSeal(randomBytes(32).toString('hex')),
    signingKey: generateKeyPairSync('ed25519').privateKey,
  });
  bus.answer(readAccount, (ask) => ledger.readAccount(ask));
  bus.answer(writeAccount, async (ask) => {
    const answer = await ledger.writeAccount(ask);
    const decided = ask.receipt !== undefined;
    if (answer.kind === 'written')
      bus.announce(accountChanged, { account: ask.account, all: false, decided });
    return answer;
  });
  bus.answer(leaseAccount, (ask) => ledger.leaseAccount({ ...ask, now: Date.now() }));
  bus.answer(keepAuthorization, (ask) => ledger.keepAuthorization(ask));
  bus.answer(takeAuthorization, (ask) => ledger.takeAuthorization({ ...ask, now: Date.now() }));
  await bus.flush();
  return ledger;
}
