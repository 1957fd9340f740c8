import { CallId, TenantId } from '@uar/contracts';
import { beforeEach, describe, expect, it } from 'vitest';
import { HeldResults } from './held-results.js';

const idOf = (name: string): CallId =>
  CallId.parse(`call_${Buffer.from(name).toString('hex').padEnd(32, '0')}`);

describe('results that are too long for the ledger', () => {
  let now: number;
  let held: HeldResults;
  beforeEach(() => {
    now = 0;
    held = new HeldResults({ mostBytes: 10, forMs: 100, now: () => now });
  });
  const hold = (name: string, bytes: number, principal = 'ada'): void =>
    held.hold(idOf(name), {
      owner: { tenant: TenantId.parse('default'), principal },
      viewJson: 'x'.repeat(bytes),
    });
  const there = (...names: string[]): string[] => names.filter((name) => held.find(idOf(name)) !== undefined);

  it('are there for a time', () => {
    hold('a', 4);
    now = 50;
    hold('b', 4);
    expect(held.find(idOf('a'))).toMatchObject({ owner: { principal: 'ada' }, viewJson: 'xxxx' });
    now = 99;
    expect(there('a', 'b', 'c')).toEqual(['a', 'b']);
    now = 100;
    expect(there('a', 'b')).toEqual(['b']);
  });

  it('make room with the oldest of whoever holds the most', () => {
    hold('other', 3, 'bob');
    hold('a', 3);
    hold('b', 3);
    hold('c', 3);
    expect(there('other', 'a', 'b', 'c')).toEqual(['other', 'b', 'c']);
    hold('d', 10);
    expect(there('other', 'b', 'c', 'd')).toEqual(['other']);
  });

  it('take the place of what was held of the same call, and none that they have no room in', () => {
    hold('a', 4);
    hold('a', 6);
    hold('b', 4);
    expect(there('a', 'b')).toEqual(['a', 'b']);
    hold('a', 11);
    expect(there('a', 'b')).toEqual(['b']);
  });
});
