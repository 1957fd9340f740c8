import { createHub, type Bus } from '@uar/bus';
import { TenantId, policyVersionKey, policyVersionNamespace } from '@uar/contracts';
import { createLog } from '@uar/telemetry';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ActiveSet } from '../../domain/sets/standing.js';
import { candidateSet } from '../../domain/sets/wanted.js';
import { policySet, versionOf } from '../../domain/policy/policy-set.js';
import { PolicyLedger } from '../../policies/policy-ledger.fixture.js';
import { tenant } from '../../policies/policy-desk.fixture.js';
import { LedgerVersions } from './policy-versions.js';

const log = createLog({ service: 'test', level: 'silent' });
const globex = TenantId.parse('globex');
const folder = {
  schema: 'entity User;',
  platform: {},
  tenants: new Map(),
  unreadable: new Map(),
  cases: [],
  brokenCases: [],
  strays: [],
};

let hub: ReturnType<typeof createHub>;
let ledger: PolicyLedger;
let buses: Bus[];
let lines: string[];

beforeEach(async () => {
  hub = createHub();
  ledger = await PolicyLedger.open(hub.connect({ service: 'approval-service', log }));
  buses = [];
  lines = [];
});
afterEach(async () => {
  await ledger.close();
  await hub.close();
});

function open(): LedgerVersions {
  const bus = hub.connect({ service: 'governance-decider', log });
  buses.push(bus);
  const to = { write: (line: string) => lines.push(line) };
  return new LedgerVersions({ bus, log: createLog({ service: 'test', to }), now: Date.now });
}

function active(number: number): ActiveSet {
  const wanted = candidateSet(folder, tenant, { 't/a': `// ${number}` });
  return { set: policySet(versionOf(wanted.texts), new Map()), wanted, warnings: [] };
}

async function listed(versions: LedgerVersions, of = tenant): Promise<readonly string[]> {
  const found = await versions.list(of);
  if (found.kind !== 'listed') throw new Error(found.cause);
  return found.versions.map(({ version }) => version);
}

it('keeps the last hundred versions with their texts, and forgets the texts of older ones', async () => {
  const versions = open();
  const sets = Array.from({ length: 103 }, (_, number) => active(number));
  for (const set of sets) await versions.record(tenant, set);
  const kept = sets.slice(3).toReversed();
  expect(await listed(versions)).toEqual(kept.map(({ set }) => set.version));
  const kindOf = async (index: number) => (await versions.texts(tenant, sets[index]?.set.version ?? '')).kind;
  expect([await kindOf(0), await kindOf(2), await kindOf(3), await kindOf(102)]).toEqual([
    'not_found',
    'not_found',
    'found',
    'found',
  ]);
});

it('names a version once, where it was in force last', async () => {
  const versions = open();
  for (const number of [1, 2, 2, 1]) await versions.record(tenant, active(number));
  expect(await listed(versions)).toEqual([active(1).set.version, active(2).set.version]);
});

it('loses none that several replicas record at once', async () => {
  const replicas = [open(), open(), open()];
  await Promise.all(replicas.map((replica, number) => replica.record(tenant, active(number))));
  const all = replicas.map((_, number) => active(number).set.version);
  expect((await listed(open())).toSorted()).toEqual(all.toSorted());
});

it('keeps what the ledger did not take until it does', async () => {
  const versions = open();
  ledger.isFull = true;
  await versions.record(tenant, active(1));
  expect(await listed(versions)).toEqual([]);
  ledger.isFull = false;
  expect(await listed(versions)).toEqual([active(1).set.version]);
});

it('goes on with the next tenant when the ledger does not take those of one', async () => {
  const versions = open();
  ledger.refused = tenant;
  await versions.record(tenant, active(1));
  await versions.record(tenant, active(2));
  await versions.record(globex, active(3));
  expect(await listed(versions, globex)).toEqual([active(3).set.version]);
  expect(await listed(versions)).toEqual([]);
  ledger.refused = undefined;
  expect(await listed(versions)).toEqual([active(2).set.version, active(1).set.version]);
});

it('starts an unreadable index anew, says so, and holds up nobody', async () => {
  const versions = open();
  await ledger.plant(policyVersionNamespace, policyVersionKey, { versions: 'none' });
  await versions.record(tenant, active(1));
  await versions.record(globex, active(2));
  expect(await listed(versions)).toEqual([active(1).set.version]);
  expect(await listed(versions, globex)).toEqual([active(2).set.version]);
  expect(lines.filter((line) => line.includes('unreadable'))).toHaveLength(1);
});

it('drops the oldest of more than a thousand that wait, and counts them in the log', async () => {
  const versions = open();
  ledger.isFull = true;
  await versions.record(tenant, active(0));
  const many = Array.from({ length: 1_001 }, (_, number) => versions.record(globex, active(number + 1)));
  await Promise.all(many);
  const drops = lines.filter((line) => line.includes('too many wait'));
  expect(drops.map((line) => JSON.parse(line))).toMatchObject([
    { tenant, dropped: 1 },
    { tenant: globex, dropped: 2 },
  ]);
  ledger.isFull = false;
  expect(await listed(versions)).toEqual([]);
});
