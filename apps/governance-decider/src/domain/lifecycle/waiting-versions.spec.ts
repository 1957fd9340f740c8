import { TenantId } from '@uar/contracts';
import { expect, it } from 'vitest';
import { WaitingVersions } from './waiting-versions.js';

const [acme, globex] = [TenantId.parse('acme'), TenantId.parse('globex')];

it('gives those of one tenant in their order, also after another tenant went first', () => {
  const waiting = new WaitingVersions<string>(10);
  for (const [tenant, version] of [
    [acme, 'a1'],
    [globex, 'g1'],
    [acme, 'a2'],
  ] as const)
    waiting.add({ tenant, version, entry: version });
  expect(waiting.tenants()).toEqual([acme, globex]);
  waiting.toBack(acme);
  expect(waiting.tenants()).toEqual([globex, acme]);
  const first = waiting.first(acme);
  expect(first?.entry).toBe('a1');
  if (first !== undefined) waiting.remove(first);
  expect(waiting.first(acme)?.entry).toBe('a2');
});

it('drops the one that waits longest, wherever it went, and counts', () => {
  const waiting = new WaitingVersions<string>(2);
  waiting.add({ tenant: acme, version: 'a1', entry: 'a1' });
  waiting.add({ tenant: globex, version: 'g1', entry: 'g1' });
  waiting.toBack(acme);
  expect(waiting.add({ tenant: globex, version: 'g2', entry: 'g2' })?.entry).toBe('a1');
  expect([waiting.size, waiting.dropped, waiting.tenants()]).toEqual([2, 1, [globex]]);
});

it('has a version once, where it was added last, and does not lose it to one that was kept before', () => {
  const waiting = new WaitingVersions<string>(10);
  waiting.add({ tenant: acme, version: 'a1', entry: 'early' });
  const early = waiting.first(acme);
  waiting.add({ tenant: acme, version: 'a2', entry: 'a2' });
  waiting.add({ tenant: acme, version: 'a1', entry: 'late' });
  expect([waiting.size, waiting.first(acme)?.entry]).toEqual([2, 'a2']);
  if (early !== undefined) waiting.remove(early);
  expect(waiting.size).toBe(2);
});
