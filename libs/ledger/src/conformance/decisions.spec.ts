import { readFileSync } from 'node:fs';
import { TenantId, type AskOf, type recordDecisions } from '@uar/contracts';
import { expect, it } from 'vitest';
import type { Ledger } from '../ledger.js';
import { openLedger } from '../open-ledger.js';
import { inEveryPlace } from './places.fixture.js';
import { acme, beta, callId, digestOf, ledgerFolder, startOfTime as now } from './samples.fixture.js';

type Group = AskOf<typeof recordDecisions>['groups'][number];

const dayMs = 24 * 3_600_000;
const runId = 'run_0123456789abcdef';
const facts = (letter: string, tenant = acme) => ({
  tenant,
  digest: digestOf(letter),
  facts_json: `{"secret":"facts of ${letter}"}`,
});

function group(letter: string, changes: Partial<Group> = {}): Group {
  return {
    ...{ tenant: acme, facts: digestOf(letter), stage: 'call', run_id: runId, session_id: '' },
    ...{ policy_version: 'v1', verdict: { kind: 'allow', determining: ['t/a'] } },
    ...{ call_ids: [callId()], times: [now] },
    ...changes,
  };
}

function listed(calls: readonly { call_id: Group['call_ids'][number]; at: number }[]) {
  return { call_ids: calls.map(({ call_id }) => call_id), times: calls.map(({ at }) => at) };
}

inEveryPlace('recorded decisions', (ledger) => {
  const recorded = (ask: AskOf<typeof recordDecisions>, at = now) =>
    ledger().recordDecisions({ ...ask, now: at });
  const read = (tenant: TenantId, more: Partial<Parameters<Ledger['readDecisions']>[0]> = {}) =>
    ledger().readDecisions({ tenant, limit: 100, ...more });
  const tenantOf = (name: string) => TenantId.parse(name);

  it('gives back what was recorded with the facts it rests on, newest first', async () => {
    const calls = [1, 2].map((later) => ({ call_id: callId(), at: now + later }));
    const verdict: Group['verdict'] = {
      kind: 'deny',
      outcome: 'policy_denied',
      cause: 'forbidden',
      determining: ['p/x'],
    };
    const own = tenantOf('gives-back');
    const ask = group('a', { tenant: own, verdict, ...listed(calls) });
    expect(await recorded({ facts: [facts('a', own)], groups: [ask] })).toEqual({ missing: [] });
    const page = await read(own);
    expect(page.facts).toEqual([{ digest: digestOf('a'), facts_json: facts('a').facts_json }]);
    expect(page.decisions).toEqual(
      calls.toReversed().map((call) => ({
        ...{ seq: expect.any(Number), ...call, facts: digestOf('a'), stage: 'call', run_id: runId },
        ...{ session_id: '', policy_version: 'v1', verdict },
      })),
    );
    expect(page.next).toBeUndefined();
  });

  it('takes facts that it holds by digest alone, and names those that it does not hold', async () => {
    const own = tenantOf('by-digest');
    await recorded({ facts: [facts('a', own)], groups: [group('a', { tenant: own })] });
    const mixed = [group('a', { tenant: own }), group('b', { tenant: own })];
    expect(await recorded({ facts: [], groups: mixed })).toEqual({ missing: [digestOf('b')] });
    const { decisions } = await read(own);
    expect(decisions.map((decision) => decision.facts)).toEqual([digestOf('a'), digestOf('a')]);
  });

  it('shows no tenant the decisions or facts of another', async () => {
    await recorded({ facts: [facts('c', beta)], groups: [group('c', { tenant: beta })] });
    expect((await read(beta)).decisions).toHaveLength(1);
    expect(await recorded({ facts: [], groups: [group('c')] })).toEqual({ missing: [digestOf('c')] });
    expect((await read(acme)).facts.map(({ digest }) => digest)).not.toContain(digestOf('c'));
  });

  it('pages by place and leaves out what is older than asked for', async () => {
    const own = tenantOf('pages');
    const calls = [0, 1, 2, 3, 4].map((later) => ({ call_id: callId(), at: now + later }));
    await recorded({ facts: [facts('a', own)], groups: [group('a', { tenant: own, ...listed(calls) })] });
    const first = await read(own, { limit: 2 });
    const second = await read(own, { limit: 3, before: first.next ?? 0 });
    const seen = [...first.decisions, ...second.decisions].map(({ at }) => at - now);
    expect(seen).toEqual([4, 3, 2, 1, 0]);
    const recent = await read(own, { since: now + 3 });
    expect(recent.decisions.map(({ at }) => at - now)).toEqual([4, 3]);
  });

  it('forgets decisions after seven days, and facts with the last decision that rests on them', async () => {
    const own = tenantOf('forgets');
    await recorded({ facts: [facts('a', own)], groups: [group('a', { tenant: own })] });
    expect(await ledger().purgeExpired({ now: now + 6 * dayMs })).toBe(0);
    expect((await read(own)).decisions).toHaveLength(1);
    expect(await ledger().purgeExpired({ now: now + 8 * dayMs })).toBeGreaterThan(0);
    expect((await read(own)).decisions).toEqual([]);
    expect(await recorded({ facts: [], groups: [group('a', { tenant: own })] })).toEqual({
      missing: [digestOf('a')],
    });
  });

  it('keeps the last hundred thousand decisions and no facts of others', async () => {
    const own = tenantOf('many');
    await recorded({ facts: [facts('d', own)], groups: [group('d', { tenant: own })] });
    const calls = Array.from({ length: 25_000 }, (_, n) => ({ call_id: callId(), at: now + n }));
    for (const letter of ['a', 'b', 'a', 'b'])
      await recorded({
        facts: [facts(letter, own)],
        groups: [group(letter, { tenant: own, ...listed(calls) })],
      });
    expect(await recorded({ facts: [], groups: [group('d', { tenant: own })] })).toEqual({
      missing: [digestOf('d')],
    });
    let count = 0;
    for (let before: number | undefined = Number.MAX_SAFE_INTEGER; before !== undefined;) {
      const page: Awaited<ReturnType<typeof read>> = await read(own, { before, limit: 500 });
      count += page.decisions.length;
      before = page.next;
    }
    expect(count).toBe(100_000);
  }, 60_000);
});

it('lets nobody read the facts in the file', async () => {
  const folder = ledgerFolder();
  const ledger = await openLedger(folder.options);
  await ledger.recordDecisions({ facts: [facts('a')], groups: [group('a')], now });
  await ledger.close();
  const bytes = readFileSync(folder.options.file);
  expect(bytes.includes(digestOf('a'))).toBe(true);
  expect(bytes.includes('facts of a')).toBe(false);
  folder.remove();
});
