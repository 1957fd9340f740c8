import type { Bus } from '@uar/bus';
import { StoredShadow, shadowKey, shadowNamespace, type ProfileName } from '@uar/contracts';
import { SettingsReplica, adminReceipt, writeKept } from '@uar/settings';
import type { Log } from '@uar/telemetry';
import type { KeptShadow, ShadowStore } from '../../domain/shadow/shadows.js';

/** Candidates among the ledger's settings, followed by every replica of the decider. */
export class SettingsShadowStore implements ShadowStore {
  readonly #replica: SettingsReplica<typeof StoredShadow>;

  constructor(
    private readonly parts: {
      readonly bus: Bus;
      readonly log: Pick<Log, 'debug' | 'info' | 'warn'>;
      readonly profile: ProfileName;
      readonly now: () => number;
    },
  ) {
    const { bus, log } = parts;
    this.#replica = new SettingsReplica({ bus, log, namespace: shadowNamespace, schema: StoredShadow });
  }

  start(): Promise<void> {
    return this.#replica.start();
  }

  stop(): void {
    this.#replica.stop();
  }

  get ready(): boolean {
    return this.#replica.ready;
  }

  of(tenant: string): KeptShadow | undefined {
    const kept = this.#replica.get(tenant, shadowKey);
    if (kept === undefined) return undefined;
    const { revision } = kept;
    return kept.kind === 'kept' ? { revision, value: kept.value } : { revision };
  }

  async write({
    by,
    revision,
    value,
  }: Parameters<ShadowStore['write']>[0]): ReturnType<ShadowStore['write']> {
    const { bus, profile, now } = this.parts;
    const action = value === undefined ? 'shadow.delete' : 'shadow.put';
    const written = await writeKept(bus, {
      tenant: by.tenant,
      namespace: shadowNamespace,
      key: shadowKey,
      value: value ?? null,
      if_revision: revision,
      receipt: adminReceipt(by, action, { profile, governance: 'on', at: now() }),
    });
    if (written.kind === 'unavailable') return { unavailable: written.cause };
    await this.#replica.refresh();
    return written.kind;
  }
}
