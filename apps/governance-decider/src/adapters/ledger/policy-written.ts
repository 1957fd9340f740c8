import type { Bus } from '@uar/bus';
import {
  WrittenPolicies,
  appendReceipts,
  policiesNamespace,
  policySetKey,
  type ProfileName,
  type ReceiptBody,
} from '@uar/contracts';
import { SettingsReplica, adminReceipt, writeKept } from '@uar/settings';
import type { Log } from '@uar/telemetry';
import type { Deed, WrittenStore } from '../../domain/lifecycle/ports.js';
import type { Persisted } from '../../domain/sets/replacement.js';
import type { Written } from '../../domain/sets/written.js';

export interface LedgerSetting {
  readonly bus: Bus;
  readonly log: Log;
  readonly profile: ProfileName;
}

/** One answer of the ledger carries the sets of all tenants. */
const maxCharsOfAll = 6 * 1024 * 1024;

interface OwnWrite {
  readonly revision: number;
  readonly written: Written | undefined;
}

/** The API-written sets as the ledger keeps them, and what was written here before the replica has read it again. */
export class LedgerPolicies implements WrittenStore {
  readonly #replica: SettingsReplica<typeof WrittenPolicies>;
  readonly #ownWrites = new Map<string, OwnWrite>();

  constructor(private readonly setting: LedgerSetting) {
    const { bus, log } = setting;
    this.#replica = new SettingsReplica({ bus, log, namespace: policiesNamespace, schema: WrittenPolicies });
  }

  get ready(): boolean {
    return this.#replica.ready;
  }

  /** `onChange`: somebody wrote, here or elsewhere, or it is known for the first time what is written. */
  async start(onChange: () => void): Promise<void> {
    void this.#replica.whenReady().then(onChange);
    this.#replica.onChange(({ tenant }) => {
      this.#forgetOwn(tenant);
      onChange();
    });
    await this.#replica.start();
  }

  /** Reads what the ledger holds at this moment; what was read before stays where it does not answer. */
  refresh(): Promise<void> {
    return this.#replica.refresh();
  }

  stop(): void {
    this.#replica.stop();
  }

  of(tenant: string): Written | undefined {
    const read = this.#read(tenant);
    const own = this.#ownWrites.get(tenant);
    return own === undefined || (read?.revision ?? 0) > own.revision ? read : own.written;
  }

  tenants(): Iterable<string> {
    const all = new Set([...this.#replica.tenants(), ...this.#ownWrites.keys()]);
    return [...all].filter((tenant) => this.of(tenant) !== undefined);
  }

  async write(
    deed: Deed,
    {
      value,
      revision: if_revision,
    }: { readonly value: WrittenPolicies | undefined; readonly revision: number },
  ): Promise<Persisted> {
    const { tenant } = deed.principal;
    if (value !== undefined && this.#charsBeside(tenant) + JSON.stringify(value).length > maxCharsOfAll)
      return { kind: 'unavailable', cause: 'the sets of all tenants are too long together' };
    const written = await writeKept(this.setting.bus, {
      tenant,
      namespace: policiesNamespace,
      key: policySetKey,
      value: value ?? null,
      if_revision,
      receipt: receiptOf(deed, this.setting.profile),
    });
    if (written.kind === 'conflict') await this.#replica.refresh();
    if (written.kind !== 'written') return written.kind === 'conflict' ? { kind: 'conflict' } : written;
    const { revision } = written;
    this.#ownWrites.set(tenant, {
      revision,
      written: value === undefined ? undefined : { kind: 'written', revision, value },
    });
    return { kind: 'persisted' };
  }

  async refused(deed: Deed, determining: readonly string[]): Promise<void> {
    const { bus, log, profile } = this.setting;
    const receipt: ReceiptBody = {
      ...receiptOf(deed, profile),
      policies: [...determining],
      outcome: 'policy_denied',
      effect: 'did_not_run',
    };
    const reply = await bus.ask(appendReceipts, { receipts: [receipt] });
    if (reply.kind === 'fault')
      log.error({ fault: reply.fault, action: deed.action }, 'a refusal has no receipt');
  }

  #read(tenant: string): Written | undefined {
    const kept = this.#replica.get(tenant, policySetKey);
    return kept === undefined || kept.kind === 'unreadable' ? kept : { ...kept, kind: 'written' };
  }

  /** What was written here is known to the replica now, or something newer is. */
  #forgetOwn(tenant: string): void {
    const own = this.#ownWrites.get(tenant);
    const read = this.#read(tenant);
    if (own !== undefined && (read === undefined || read.revision >= own.revision))
      this.#ownWrites.delete(tenant);
  }

  #charsBeside(tenant: string): number {
    const others = [...this.tenants()].filter((one) => one !== tenant);
    return others.reduce((sum, one) => sum + JSON.stringify(this.of(one)).length, 0);
  }
}

export function receiptOf({ principal, action, policyVersion }: Deed, profile: ProfileName): ReceiptBody {
  const body = adminReceipt(principal, action, { profile, governance: 'on', at: Date.now() });
  return { ...body, policy_version: policyVersion };
}
