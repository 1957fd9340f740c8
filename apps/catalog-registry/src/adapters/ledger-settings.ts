import type { Bus } from '@uar/bus';
import { readSettings, type ProfileName } from '@uar/contracts';
import { adminReceipt, writeKept } from '@uar/settings';
import type { Setting, Settings } from '../domain/ports.js';

/** The settings of the ledger, over the bus. */
export class LedgerSettings implements Settings {
  constructor(
    private readonly parts: {
      readonly bus: Bus;
      readonly profile: ProfileName;
      readonly governance: 'on' | 'off';
      readonly now: () => number;
    },
  ) {}

  async read(namespace: string): Promise<readonly Setting[] | undefined> {
    const reply = await this.parts.bus.ask(readSettings, { namespace });
    return reply.kind === 'fault' ? undefined : reply.value.settings;
  }

  write({ tenant, namespace, key, value, ifRevision, deed }: Parameters<Settings['write']>[0]) {
    const { bus, profile, governance, now } = this.parts;
    const setting = { tenant, namespace, key, value, if_revision: ifRevision };
    if (deed === undefined) return writeKept(bus, setting);
    const receipt = adminReceipt(deed.principal, deed.action, { profile, governance, at: now() });
    return writeKept(bus, { ...setting, receipt });
  }
}
