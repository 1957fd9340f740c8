import { serversNamespace } from '@uar/contracts';
import type { Deed, Journal, Setting, Settings, Vault } from '../ports.js';
import type { DesiredServers, ServerId, StoredValue } from './desired-servers.js';
import { serverKey } from './desired-servers.js';
import { fromSetting, toSetting } from './stored-server.js';

export type Saved = 'saved' | 'overtaken' | 'unavailable';

/** What the API wrote about servers, durable in the ledger. Persists first, applies second. */
export class ServerStore {
  private readonly unreadable = new Set<string>();

  constructor(
    private readonly parts: {
      readonly desired: DesiredServers;
      readonly settings: Settings;
      readonly vault: Vault;
      readonly journal: Journal;
    },
  ) {}

  /** Stored servers that this data key does not open: they are away, the file's value does not come back for them. */
  problems(): string[] {
    return [...this.unreadable].map((key) => `the stored server ${key} cannot be opened with the data key`);
  }

  load(settings: readonly Setting[]): void {
    for (const setting of settings) this.take(setting);
  }

  /**
   * One write with its receipt. `unavailable`: nothing changed here, and as far as is known nowhere. `overtaken`: the
   * ledger held another value than was known, which is taken now; it may be that of a write whose answer was lost.
   */
  async save({ tenant, name }: ServerId, value: StoredValue, deed: Deed): Promise<Saved> {
    const { desired, settings, vault, journal } = this.parts;
    const written = await settings.write({
      ...{ tenant, namespace: serversNamespace, key: name },
      value: toSetting({ tenant, name, value }, vault),
      ifRevision: desired.settingRevision(tenant, name),
      deed,
    });
    if (written.kind === 'written') {
      this.unreadable.delete(serverKey(tenant, name));
      desired.adopt({ tenant, name, settingRevision: written.revision, value });
      return 'saved';
    }
    journal.warn({ tenant, server: name, cause: written.kind }, 'a server was not stored');
    if (written.kind === 'unavailable') return 'unavailable';
    return (await this.reload({ tenant, name })) ? 'overtaken' : 'unavailable';
  }

  private async reload({ tenant, name }: ServerId): Promise<boolean> {
    const stored = await this.parts.settings.read(serversNamespace);
    this.load((stored ?? []).filter((setting) => setting.tenant === tenant && setting.key === name));
    return stored !== undefined;
  }

  private take(setting: Setting): void {
    const { tenant, key: name, revision: settingRevision } = setting;
    const stored = fromSetting(setting, this.parts.vault);
    if (stored === undefined) {
      this.unreadable.add(serverKey(tenant, name));
      this.parts.journal.warn({ tenant, server: name }, 'a stored server cannot be opened');
    }
    this.parts.desired.adopt(stored ?? { tenant, name, settingRevision, value: { kind: 'deleted' } });
  }
}
