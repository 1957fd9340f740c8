import type { Bus } from '@uar/bus';
import { readSettings, type Principal, type ProfileName } from '@uar/contracts';
import { adminReceipt, writeKept } from '@uar/settings';
import type { Kept, Place, SettingsStore } from '../../domain/settings/settings-desk.js';

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

  async read({ tenant, namespace, key }: Place): ReturnType<SettingsStore['read']> {
    const reply = await this.bus.ask(readSettings, { tenant, namespace, key });
    if (reply.kind === 'fault') return { kind: 'unavailable' };
    return reply.value.settings.find((setting) => setting.tenant === tenant && setting.key === key);
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
