import { generateKeyPairSync, randomBytes } from 'node:crypto';
import type { Bus } from '@uar/bus';
import {
  TenantId,
  appendReceipts,
  readSettings,
  settingsChanged,
  writeSetting,
  type Receipt,
} from '@uar/contracts';
import { createSeal } from '@uar/keys';
import { openLedger, type Ledger } from '@uar/ledger';

/** A real ledger in memory behind the approval-service's exchanges. */
export class PolicyLedger {
  /** Nothing is answered. */
  isAway = false;
  /** What is written is refused, as on a full disk. */
  isFull = false;
  /** Of this tenant nothing is taken. */
  refused: TenantId | undefined;

  private constructor(
    private readonly ledger: Ledger,
    private readonly bus: Bus,
  ) {
    bus.answer(readSettings, (ask) => {
      if (this.isAway) throw new Error('away');
      return ledger.readSettings(ask);
    });
    bus.answer(writeSetting, async (ask) => {
      if (this.isAway || this.isFull || ask.tenant === this.refused) throw new Error('full');
      const answer = await ledger.writeSetting(ask);
      const { tenant, namespace, key } = ask;
      if (answer.kind === 'written') bus.announce(settingsChanged, { tenant, namespace, key });
      return answer;
    });
    bus.answer(appendReceipts, async (ask) => ({ positions: [...(await ledger.appendReceipts(ask))] }));
  }

  static async open(bus: Bus): Promise<PolicyLedger> {
    const signingKey = generateKeyPairSync('ed25519').privateKey;
    const ledger = await openLedger({
      file: ':memory:',
      seal: createSeal(randomBytes(32).toString('hex')),
      signingKey,
    });
    const opened = new PolicyLedger(ledger, bus);
    await bus.flush();
    return opened;
  }

  async receipts(): Promise<readonly Receipt[]> {
    const tenant = TenantId.parse('default');
    return (await this.ledger.listReceipts({ tenant, after: 0, limit: 1000 })).receipts;
  }

  /** What is kept of the tenant under a key. */
  read(namespace: string, key: string) {
    return this.ledger.readSettings({ namespace, tenant: TenantId.parse('default'), key });
  }

  /** Puts something there past every check. */
  async plant(namespace: string, key: string, value: unknown): Promise<void> {
    const tenant = TenantId.parse('default');
    const { settings } = await this.ledger.readSettings({ namespace, tenant, key });
    const if_revision = settings[0]?.revision ?? 0;
    await this.ledger.writeSetting({ tenant, namespace, key, value, if_revision });
    this.bus.announce(settingsChanged, { tenant, namespace, key });
  }

  async close(): Promise<void> {
    await this.ledger.close();
  }
}
