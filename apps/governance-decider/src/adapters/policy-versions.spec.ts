import { createHub, type Bus } from '@uar/bus';
import { createLog } from '@uar/telemetry';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ActiveSet } from '../domain/lifecycle/standing.js';
import { candidateSet } from '../domain/lifecycle/wanted.js';
import { policySet, versionOf } from '../domain/policy/policy-set.js';
import { PolicyLedger } from '../policy-ledger.fixture.js';
import { tenant } from '../policy-desk.fixture.js';
import { LedgerVersions } from './policy-versions.js';

const log = createLog({ service: 'test', level: 'silent' });
const folder = { schema: 'entity User;', platform: {}, tenants: new Map(), cases: [] };

let hub: ReturnType<typeof createHub>;
let ledger: PolicyLedger;
let buses: Bus[];

beforeEach(async () => {
  hub = createHub();
  ledger = await PolicyLedger.open(hub.connect({ service: 'approval-service', log }));
  buses = [];
});
afterEach(async () => {
  await ledger.close();
  await hub.close();
});

function open(): LedgerVersions {
  const bus = hub.connect({ service: 'governance-decider', log });
  buses.push(bus);
  return new LedgerVersions({ bus, log, now: Date.now });
}

function active(number: number): ActiveSet {
  const wanted = candidateSet(folder, tenant, { 't/a': `// ${number}` });
  return { set: policySet(versionOf(wanted.texts), new Map()), wanted, warnings: [] };
}

async function listed(versions: LedgerVersions): Promise<readonly string[]> {
  const found = await versions.list(tenant);
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
