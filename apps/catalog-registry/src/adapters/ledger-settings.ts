import type { Bus } from '@uar/bus';
import type { ProfileName } from '@uar/contracts';
import { adminReceipt, readKept, writeKept } from '@uar/settings';
import { z } from 'zod';
import type { Setting, Settings } from '../domain/ports.js';

/** The settings of the ledger, over the bus. What they say is read by whoever holds the key to it. */
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
    const read = await readKept(this.parts.bus, z.unknown(), { namespace });
    if (read.kind === 'unavailable') return undefined;
    return read.entries.flatMap((entry) => (entry.kind === 'kept' ? [entry] : []));
  }

  write({ tenant, namespace, key, value, ifRevision, deed }: Parameters<Settings['write']>[0]) {
    const { bus, profile, governance, now } = this.parts;
    const setting = { tenant, namespace, key, value, if_revision: ifRevision };
    if (deed === undefined) return writeKept(bus, setting);
    const receipt = adminReceipt(deed.principal, deed.action, { profile, governance, at: now() });
    return writeKept(bus, { ...setting, receipt });
  }
}
