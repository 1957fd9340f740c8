import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bus } from '@uar/bus';
import { CatalogReplica } from '@uar/catalog';
import {
  Principal,
  appendEvents,
  readSettings,
  writeSetting,
  type AnswerOf,
  type AskOf,
  type ReceiptBody,
} from '@uar/contracts';
import type { RunningService } from '@uar/service';
import { createLog } from '@uar/telemetry';
import { testConfig, type ConnectBus } from '@uar/testkit';
import { HostHalf, tenant } from './host-half.fixture.js';
import { service } from '../module.js';

export { HostHalf, tenant };
const log = createLog({ service: 'test', level: 'silent' });

export const admin = Principal.parse({
  issuer: 'test',
  subject: 'dev',
  tenant,
  kind: 'user',
  roles: ['admin'],
  groups: [],
  scopes: [],
  mfa: false,
  claims: {},
  expires_at: 4_000_000_000_000,
});

type Setting = AnswerOf<typeof readSettings>['settings'][number];

/** By which the ledger's half knows a setting of the one tenant. */
export function settingKey(namespace: string, key: string): string {
  return `${namespace}/${key}`;
}

/** The ledger's half of the contract: settings with compare and set, and receipts in order. */
export class LedgerHalf {
  readonly settings = new Map<string, Setting>();
  readonly receipts: ReceiptBody[] = [];
  broken = false;
  /** Writes are kept, but their answers are lost. */
  losesAnswers = false;

  async open(bus: Bus): Promise<void> {
    bus.answer(readSettings, ({ namespace }) => {
      this.mustWork();
      return { settings: [...this.settings.values()].filter((setting) => setting.namespace === namespace) };
    });
    bus.answer(writeSetting, (ask) => this.write(ask));
    bus.answer(appendEvents, () => ({ appended: true }));
    await bus.flush();
  }

  actions(): (string | undefined)[] {
    return this.receipts.map(({ action }) => action);
  }

  private write({
    if_revision,
    value,
    receipt,
    ...setting
  }: AskOf<typeof writeSetting>): AnswerOf<typeof writeSetting> {
    this.mustWork();
    const key = settingKey(setting.namespace, setting.key);
    const revision = this.settings.get(key)?.revision ?? 0;
    if (revision !== if_revision) return { kind: 'conflict', revision };
    this.settings.set(key, { ...setting, value, revision: revision + 1 });
    if (receipt !== undefined) this.receipts.push(receipt);
    if (this.losesAnswers) throw new Error('the answer is lost');
    return { kind: 'written', revision: revision + 1 };
  }

  private mustWork(): void {
    if (this.broken) throw new Error('disk full');
  }
}

/** The registry with everything around it on one bus. */
export class World {
  readonly dataDir = mkdtempSync(join(tmpdir(), 'uar-registry-'));
  private readonly closing: (() => Promise<unknown>)[] = [];

  constructor(private readonly connect: ConnectBus) {}

  async bus(name: Parameters<ConnectBus>[0]): Promise<Bus> {
    const bus = await this.connect(name);
    this.closing.push(() => bus.close());
    return bus;
  }

  async ledger(): Promise<LedgerHalf> {
    const half = new LedgerHalf();
    await half.open(await this.bus('approval-service'));
    return half;
  }

  async host(kind: 'mcp' | 'native' = 'mcp'): Promise<HostHalf> {
    const half = new HostHalf(await this.bus(kind === 'mcp' ? 'mcp-connector' : 'native-tool-host'), kind);
    await half.open();
    return half;
  }

  async registry(config: Record<string, unknown> = {}): Promise<RunningService> {
    const bus = await this.bus('catalog-registry');
    const parsed = testConfig({ ...config, data_dir: this.dataDir });
    const running = await service.start({ config: parsed, bus, log });
    this.closing.push(() => running.stop());
    return running;
  }

  async replica(bus: Bus): Promise<CatalogReplica> {
    const replica = new CatalogReplica({ bus, log });
    await replica.start();
    this.closing.push(() => Promise.resolve(replica.stop()));
    return replica;
  }

  async close(): Promise<void> {
    for (const close of this.closing.toReversed()) await close();
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}

/** Until the replica shows what is expected. */
export function until(replica: CatalogReplica, shown: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const end = replica.onChange(() => {
      if (!shown()) return;
      end();
      resolve();
    });
    if (!shown()) return;
    end();
    resolve();
  });
}
