import type { Bus } from '@uar/bus';
import type { Principal, ProfileName } from '@uar/contracts';
import { adminReceipt, readKept, writeKept } from '@uar/settings';
import type { Kept, Place, SettingsDocument, SettingsStore } from '../../domain/settings/settings-desk.js';

export interface StoreSetting {
  readonly profile: ProfileName;
  readonly governance: 'on' | 'off';
  readonly now: () => number;
}

/** Settings in the ledger, over the bus: asked anew each time, so that a write is seen by whoever reads next. */
export class LedgerSettings implements SettingsStore {
  constructor(
    private readonly bus: Bus,
    private readonly setting: StoreSetting,
  ) {}

  async read(place: Place, stored: SettingsDocument['stored']): ReturnType<SettingsStore['read']> {
    const read = await readKept(this.bus, stored, place);
    return read.kind === 'unavailable' ? read : (read.entries[0] ?? { kind: 'absent' });
  }

  async write(
    place: Place,
    { revision, value }: Kept,
    { principal, action }: { readonly principal: Principal; readonly action: string },
  ): ReturnType<SettingsStore['write']> {
    const { profile, governance, now } = this.setting;
    const receipt = {
      ...adminReceipt(principal, action, { profile, governance, at: now() }),
      tenant: place.tenant,
    };
    const written = await writeKept(this.bus, { ...place, value, if_revision: revision, receipt });
    return written.kind;
  }
}
