import type { Bus } from '@uar/bus';
import {
  TenantId,
  catalogBeat,
  catalogChanged,
  readCatalog,
  type AnswerOf,
  type CatalogEntry,
} from '@uar/contracts';
import { createLog } from '@uar/telemetry';
import { withBothBuses } from '@uar/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CatalogChanges } from './catalog-state.js';
import { entryOf, serverOf } from './catalog.fixture.js';
import { CatalogReplica } from './replica.js';

const acme = TenantId.parse('acme');
const log = createLog({ service: 'test', level: 'silent' });
const nothing: CatalogChanges = { upserted: [], removed: [], servers: [], servers_removed: [] };

/** The registry's half of the contract, driven by hand. */
class Registry {
  version = 'b1.1';
  readonly asked: (string | undefined)[] = [];
  pages: AnswerOf<typeof readCatalog>[] = [];
  /** Runs before a page goes out. */
  beforeAnswer: () => Promise<void> = () => Promise.resolve();

  constructor(private readonly bus: Bus) {}

  open(): Promise<void> {
    this.bus.answer(readCatalog, async ({ after }) => {
      this.asked.push(after);
      const page = this.pages[after === undefined ? 0 : Number(after)];
      await this.beforeAnswer();
      if (page === undefined) throw new Error('no such page');
      return page;
    });
    return this.bus.flush();
  }

  snapshot(...pages: CatalogEntry[][]): void {
    this.pages = pages.map((entries, index) => ({
      version: this.version,
      entries,
      servers: index === 0 ? [serverOf('acme', 'fs')] : [],
      ...(index + 1 < pages.length ? { next: String(index + 1) } : {}),
    }));
  }

  change(version: string, changes?: CatalogChanges, previous = this.version): Promise<void> {
    this.version = version;
    this.bus.announce(catalogChanged, { version, previous, ...(changes === undefined ? {} : { changes }) });
    return this.bus.flush();
  }

  beat(): Promise<void> {
    this.bus.announce(catalogBeat, { version: this.version });
    return this.bus.flush();
  }
}

withBothBuses('CatalogReplica', (connect) => {
  let registryBus: Bus;
  let gateway: Bus;
  let registry: Registry;
  let replica: CatalogReplica;

  beforeEach(async () => {
    registryBus = await connect('catalog-registry');
    gateway = await connect('gateway');
    registry = new Registry(registryBus);
    replica = new CatalogReplica({ bus: gateway, log });
  });
  afterEach(async () => {
    replica.stop();
    await registryBus.close();
    await gateway.close();
  });

  const at = (version: string) =>
    new Promise<void>((resolve) => {
      if (replica.version === version) resolve();
      replica.onChange((change) => change.version === version && resolve());
    });
  const names = () => replica.entries(acme).map(({ name }) => name);
  const a = entryOf('acme', 'fs', 'a');
  const b = entryOf('acme', 'fs', 'b');
  const c = entryOf('acme', 'fs', 'c');

  async function started(...pages: CatalogEntry[][]): Promise<void> {
    registry.snapshot(...pages);
    await registry.open();
    await replica.start();
    await gateway.flush();
  }

  describe('start', () => {
    it('takes a snapshot, through all its pages', async () => {
      await started([a], [b], [c]);
      expect(replica.ready).toBe(true);
      expect(replica.version).toBe('b1.1');
      expect(names()).toEqual(['fs__a', 'fs__b', 'fs__c']);
      expect(replica.find(acme, 'fs__b')).toEqual(b);
      expect(replica.server(acme, 'fs')).toEqual(serverOf('acme', 'fs'));
      expect(replica.servers(acme)).toHaveLength(1);
      expect(registry.asked).toEqual([undefined, '1', '2']);
    });

    it('is not ready without a registry, and takes the snapshot as soon as one beats', async () => {
      await replica.start();
      await gateway.flush();
      expect(replica.ready).toBe(false);
      expect(replica.find(acme, 'fs__a')).toBeUndefined();
      registry.snapshot([a]);
      await registry.open();
      const there = at('b1.1');
      await registry.beat();
      await there;
      expect(names()).toEqual(['fs__a']);
    });
  });

  describe('changes', () => {
    it('applies each in order, without another snapshot', async () => {
      await started([a, b]);
      const heard: string[] = [];
      replica.onChange(({ version, tenants }) => heard.push(`${version} ${[...tenants].join()}`));
      const there = at('b1.3');
      await registry.change('b1.2', { ...nothing, upserted: [c], removed: ['acme/fs__a'] });
      await registry.change('b1.3', { ...nothing, servers_removed: ['acme/fs'] });
      await there;
      expect(names()).toEqual(['fs__b', 'fs__c']);
      expect(replica.server(acme, 'fs')).toBeUndefined();
      expect(heard).toEqual(['b1.2 acme', 'b1.3 acme']);
      expect(registry.asked).toHaveLength(1);
    });

    it.each<[string, { version: string; previous: string; changes?: CatalogChanges }]>([
      ['a gap', { version: 'b1.3', previous: 'b1.2', changes: nothing }],
      ['another boot of the registry', { version: 'b2.1', previous: 'b2.0', changes: nothing }],
      ['a change that was too large to send', { version: 'b1.2', previous: 'b1.1' }],
    ])('reads the snapshot again after %s', async (_what, { version, previous, changes }) => {
      await started([a]);
      registry.version = version;
      registry.snapshot([b]);
      const there = at(version);
      await registry.change(version, changes, previous);
      await there;
      expect(names()).toEqual(['fs__b']);
      expect(registry.asked).toHaveLength(2);
    });

    it('reads the snapshot again when a beat tells of a version it has not heard of', async () => {
      await started([a]);
      registry.version = 'b1.7';
      registry.snapshot([a, b]);
      const there = at('b1.7');
      await registry.beat();
      await there;
      expect(names()).toEqual(['fs__a', 'fs__b']);
    });

    it('stays as it is when a beat tells the version it is at', async () => {
      await started([a]);
      await registry.beat();
      const there = at('b1.2');
      await registry.change('b1.2', nothing);
      await there;
      expect(registry.asked).toHaveLength(1);
    });

    it('fetches once however many gaps it hears, and catches up with what was announced meanwhile', async () => {
      await started([a]);
      registry.version = 'b1.5';
      registry.snapshot([a, b]);
      registry.beforeAnswer = async () => {
        registry.beforeAnswer = () => Promise.resolve();
        await registry.change('b1.6', { ...nothing, upserted: [c] }, 'b1.5');
        await registry.change('b1.7', { ...nothing, removed: ['acme/fs__a'] }, 'b1.6');
      };
      const there = at('b1.7');
      await registry.beat();
      await registry.beat();
      await there;
      expect(names()).toEqual(['fs__b', 'fs__c']);
      expect(registry.asked).toHaveLength(2);
    });

    it('goes on trying when the snapshot fails, and serves the last whole state until then', async () => {
      await started([a]);
      let failures = 0;
      registry.beforeAnswer = () => {
        failures += 1;
        return failures <= 2 ? Promise.reject(new Error('not now')) : Promise.resolve();
      };
      registry.version = 'b1.9';
      registry.snapshot([b]);
      const there = at('b1.9');
      await registry.beat();
      expect(names()).toEqual(['fs__a']);
      await there;
      expect(failures).toBe(3);
      expect(names()).toEqual(['fs__b']);
    });

    it('survives a listener that throws', async () => {
      await started([a]);
      replica.onChange(() => {
        throw new Error('listener');
      });
      const there = at('b1.2');
      await registry.change('b1.2', { ...nothing, upserted: [b] });
      await there;
      expect(names()).toEqual(['fs__a', 'fs__b']);
    });
  });
});
