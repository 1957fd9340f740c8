import { createHub, type Bus, type Hub } from '@uar/bus';
import type { recordDecisions } from '@uar/contracts';
import { CallQuestion, ToolFacts, type AskOf } from '@uar/contracts';
import { argumentsDigest } from '@uar/json-text';
import { createLog } from '@uar/telemetry';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { policySet } from '../../domain/policy/policy-set.js';
import type { DecisionNote } from '../../domain/record/decision-note.js';
import { DecisionsLedger } from '../../replay/decisions-ledger.fixture.js';
import { DecisionLog } from './decision-log.js';

const silent = createLog({ service: 'test', level: 'silent' });
const set = policySet('v', new Map());
const tool = ToolFacts.parse({
  ...{
    tenant: 'a',
    server: 's',
    raw_name: 't',
    source: 'mcp',
    family: 'mcp',
    capabilities: ['read'],
    risk: 0,
  },
  ...{ read_only: true, destructive: false, idempotent: true, open_world: false, hints_trusted: true },
  ...{ enabled: true, pinned: true, quorum: 1, labels: [], secret_pointers: [] },
  extractors: { paths: [], hosts: [], recipients: [] },
  definition_digest: `sha256:${'a'.repeat(64)}`,
});

/** One object, as a decision from memory is. */
const verdict = { kind: 'allow', determining: ['t/a'] } as const;

let count = 0;
/** Decisions under one key are about the same facts. */
function note(key: string, argumentText = JSON.stringify({ [key]: 1 })): DecisionNote {
  count += 1;
  const question = CallQuestion.parse({
    call_id: `call_${String(count).padStart(32, '0')}`,
    caller: {
      principal: {
        ...{ issuer: 'i', subject: 'ann', tenant: 'a', kind: 'user', roles: [], groups: [], scopes: [] },
        ...{ mfa: false, claims: {}, expires_at: 1 },
      },
      ...{ channel: 'api', run_id: `run_${'0'.repeat(32)}`, session_id: '' },
    },
    tool,
    arguments_json: argumentText,
    arguments_digest: argumentsDigest(argumentText),
  });
  return {
    ...{ at: count, question, profile: 'minimal', set },
    directory: { tenants: new Map(), agents: new Map(), suspended: [] },
    judged: { version: 'v', verdict, key },
  };
}

let hub: Hub;
let bus: Bus;
let log: DecisionLog;
let warned: object[];
beforeEach(() => {
  hub = createHub();
  bus = hub.connect({ service: 'governance-decider', log: silent });
  warned = [];
  log = new DecisionLog({ bus, log: { warn: (fields: object) => warned.push(fields) } });
});
afterEach(async () => {
  await log.stop();
  await hub.close();
});

async function ledger(): Promise<DecisionsLedger> {
  const own = hub.connect({ service: 'approval-service', log: silent });
  const started = new DecisionsLedger(own);
  await own.flush();
  return started;
}

const callsIn = ({ groups }: AskOf<typeof recordDecisions>) => groups.flatMap(({ call_ids }) => call_ids);

it('records in batches, decisions alike in one group and their facts once', async () => {
  const kept = await ledger();
  for (let n = 0; n < 100; n += 1) log.take(note(n % 2 === 0 ? 'even' : 'odd'));
  await kept.holds(100);
  const [first, ...more] = kept.asks;
  expect(more).toEqual([]);
  expect(first?.groups.map(({ call_ids }) => call_ids.length)).toEqual([50, 50]);
  expect(first?.facts).toHaveLength(2);
  log.take(note('even'));
  await log.settle();
  expect(kept.asks.at(-1)).toMatchObject({ facts: [], groups: [{ times: [count] }] });
});

it('sends facts again that the ledger lost', async () => {
  const kept = await ledger();
  log.take(note('x'));
  await log.settle();
  kept.facts.clear();
  log.take(note('x'));
  log.take(note('y'));
  await log.settle();
  expect(kept.decisions).toHaveLength(3);
  expect(kept.facts.size).toBe(2);
});

it('waits for a ledger that is away, without making anybody wait', async () => {
  for (let n = 0; n < 600; n += 1) log.take(note('x'));
  await log.settle();
  const kept = await ledger();
  await kept.holds(600);
  expect(new Set(kept.asks.flatMap(callsIn)).size).toBe(600);
  await log.stop();
  expect(warned).toEqual([]);
});

it('forgets the oldest beyond its bounds, and says how many', async () => {
  for (let n = 0; n < 5_000; n += 1) log.take(note('x'));
  await log.settle();
  const kept = await ledger();
  await kept.holds(4_096);
  await log.stop();
  expect(kept.decisions).toHaveLength(4_096);
  expect(kept.decisions[0]?.decision.at).toBe(count - 4_095);
  expect(warned).toEqual([{ decisions: 904 }]);
});

it('keeps no more argument text waiting than fits into memory', async () => {
  const large = JSON.stringify({ text: 'x'.repeat(1_000_000) });
  for (let n = 0; n < 40; n += 1) log.take(note('large', large));
  const kept = await ledger();
  await kept.holds(16);
  await log.stop();
  expect(kept.decisions).toHaveLength(16);
});
