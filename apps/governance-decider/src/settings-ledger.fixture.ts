import type { Bus } from '@uar/bus';
import { TenantId, readSettings, settingsChanged, type Setting } from '@uar/contracts';

/** The settings half of the approval-service, kept in memory. */
export class SettingsLedger {
  readonly #settings = new Map<string, Setting>();
  #revision = 0;

  constructor(private readonly bus: Bus) {
    bus.answer(readSettings, ({ namespace }) => ({
      settings: [...this.#settings.values()].filter((setting) => setting.namespace === namespace),
    }));
  }

  write(tenant: string, namespace: string, entry: { readonly key: string; readonly value: unknown }): void {
    this.#revision += 1;
    const place = { tenant: TenantId.parse(tenant), namespace, key: entry.key };
    const id = JSON.stringify(place);
    if (entry.value === null) this.#settings.delete(id);
    else this.#settings.set(id, { ...place, revision: this.#revision, value: entry.value });
    this.bus.announce(settingsChanged, place);
  }
}
