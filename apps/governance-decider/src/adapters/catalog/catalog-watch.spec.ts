import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import type { Bus } from '@uar/bus';
import { CatalogReplica, publicName } from '@uar/catalog';
import { CatalogEntry, catalogChanged, readCatalog } from '@uar/contracts';
import { createLog } from '@uar/telemetry';
import { withBothBuses } from '@uar/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { checkCandidate } from '../../domain/policy/check/candidate.js';
import type { PolicyProblem } from '../../domain/policy/lint/problem.js';
import { StalePolicies, type ActiveTexts } from '../../domain/policy/lint/stale-policies.js';
import { CatalogSchemas } from './catalog-schemas.js';
import { CatalogWatch } from './catalog-watch.js';
import { CedarEngine, compileCedar } from '../cedar/engine.js';
import { shippedFolder } from '../cedar/questions.fixture.js';
import { readPolicies } from '../policies/policy-texts.js';
import { someTools } from './some-tools.fixture.js';

const log = createLog({ service: 'test', level: 'silent' });
const schema = readFileSync(join(shippedFolder, 'schema.cedarschema'), 'utf8');
const own = `forbid (principal, action in UAR::Action::"invoke", resource in UAR::Server::"acme/fs")
unless { context.args.s.hasTag("/path") };`;

let engine: CedarEngine;
beforeAll(async () => {
  engine = await CedarEngine.start(await compileCedar());
});
afterAll(() => engine.stop());

/** A tool as the registry announces it; `properties` are its arguments. */
function entryOf(rawName: string, properties: object): CatalogEntry {
  const facts = someTools[0]?.facts;
  const inputSchema = { type: 'object', properties, additionalProperties: false };
  return CatalogEntry.parse({
    ...{ name: publicName('fs', rawName), host: 'mcp', state: 'available', timeout_ms: 30_000 },
    definition_json: JSON.stringify({ name: rawName, inputSchema }),
    facts: { ...facts, raw_name: rawName },
  });
}

const read = entryOf('read', { path: { type: 'string' } });

withBothBuses('the catalog under active policies', (connect) => {
  let registry: Bus;
  let decider: Bus;
  let watch: CatalogWatch;
  let schemas: CatalogSchemas;
  let stale: StalePolicies;
  let active: ActiveTexts[];
  let told: { tenant: string; problems: readonly PolicyProblem[] }[];
  let reviews: number;
  let onReview: () => void;

  beforeEach(async () => {
    registry = await connect('catalog-registry');
    decider = await connect('governance-decider');
    const replica = new CatalogReplica({ bus: decider, log });
    schemas = new CatalogSchemas(replica);
    [active, told, reviews, onReview] = [[], [], 0, () => undefined];
    stale = new StalePolicies({
      schemas,
      active: () => active,
      onStale: (tenant, problems) => told.push({ tenant, problems }),
      pause: () => turn(),
    });
    const onReviewed = () => {
      reviews += 1;
      onReview();
    };
    const onFault = (error: unknown) => {
      throw error;
    };
    watch = new CatalogWatch({ replica, stale, quietMs: 20, onReviewed, onFault });
  });
  afterEach(async () => {
    watch.stop();
    await registry.close();
    await decider.close();
  });

  const reviewed = () =>
    new Promise<void>((resolve) => {
      onReview = resolve;
    });

  async function openRegistry(entries: readonly CatalogEntry[]): Promise<void> {
    registry.answer(readCatalog, () =>
      Promise.resolve({ version: 'b1.1', entries: [...entries], servers: [] }),
    );
    await registry.flush();
  }

  async function load(): Promise<string> {
    const policies = { ...(await readPolicies(join(shippedFolder, 'platform'), 'p')), 't/shape': own };
    const tried = await engine.rehearse((laboratory) =>
      checkCandidate({ schema, policies }, laboratory, { schemas: schemas.of('acme') }),
    );
    if (tried.kind === 'failed' || tried.value.kind === 'unsound') throw new Error(JSON.stringify(tried));
    active = [{ tenant: 'acme', set: tried.value.set, texts: policies }];
    return tried.value.set.version;
  }

  async function change(version: string, previous: string, upserted: CatalogEntry[]): Promise<void> {
    const changes = { upserted, removed: [], servers: [], servers_removed: [] };
    registry.announce(catalogChanged, { version, previous, changes });
    await registry.flush();
  }

  it('is unknown while there is no registry, and policies are loaded without it', async () => {
    watch.start();
    expect(schemas.of('acme')).toBeUndefined();
    await expect(load()).resolves.toMatch(/^sha256:/);
  });

  it('gives each tenant its own tools, each with the schema of its definition', async () => {
    await openRegistry([read]);
    const done = reviewed();
    watch.start();
    await done;
    const [tool, ...more] = schemas.of('acme') ?? [];
    expect(tool?.facts).toEqual(read.facts);
    expect(tool?.inputSchema).toMatchObject({ properties: { path: { type: 'string' } } });
    expect(more).toEqual([]);
    expect(schemas.of('other')).toEqual([]);
    expect(schemas.of('acme')).toBe(schemas.of('acme'));
    expect(schemas.of('*')).toBeUndefined();
  });

  it('is told when a change leaves a policy dead, which stays in force, and when it is alive again', async () => {
    await openRegistry([read]);
    const first = reviewed();
    watch.start();
    await first;
    const version = await load();
    const second = reviewed();
    await change('b1.2', 'b1.1', [entryOf('read', { file: { type: 'string' } })]);
    await second;
    const dead = { policy: 't/shape', line: 2, column: 32, severity: 'error' };
    expect(told).toMatchObject([{ tenant: 'acme', problems: [dead] }]);
    expect(stale.of('acme', version)).toMatchObject([dead]);
    expect(stale.of('acme', 'another version')).toBeUndefined();
    expect(active).toHaveLength(1);
    const third = reviewed();
    await change('b1.3', 'b1.2', [read]);
    await third;
    expect(told).toMatchObject([{ problems: [dead] }, { tenant: 'acme', problems: [] }]);
  });

  it('is reviewed once for a burst of changes', async () => {
    await openRegistry([read]);
    const first = reviewed();
    watch.start();
    await first;
    await load();
    const second = reviewed();
    for (let index = 1; index <= 50; index += 1)
      registry.announce(catalogChanged, {
        ...{ version: `b1.${index + 1}`, previous: `b1.${index}` },
        changes: { upserted: [entryOf(`t${index}`, {})], removed: [], servers: [], servers_removed: [] },
      });
    await registry.flush();
    await second;
    expect(reviews).toBeLessThan(10);
  });
});
