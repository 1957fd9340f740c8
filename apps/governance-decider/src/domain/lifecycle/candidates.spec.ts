import { TenantId } from '@uar/contracts';
import { expect, it } from 'vitest';
import { Candidates } from './candidates.js';

const [acme, globex] = [TenantId.parse('acme'), TenantId.parse('globex')];

/** Sets whose check ends when it is told to. */
function stalled() {
  const ends: (() => void)[] = [];
  const candidates = new Candidates(
    {
      check: () =>
        new Promise((resolve) => {
          ends.push(() => resolve({ kind: 'failed', message: 'ended' }));
        }),
      platformOf: () => ({}),
      candidateVersion: () => undefined,
    },
    { most: 5, mostOfTenant: 3 },
  );
  const end = () => {
    for (const each of ends.splice(0)) each();
  };
  return { candidates, end };
}

const busy = { kind: 'busy', retry_after_ms: expect.any(Number) };

it('lets no tenant take all places: the others still find one', async () => {
  const { candidates, end } = stalled();
  const waiting = [1, 2, 3].map(() => candidates.check(acme, {}));
  expect(await candidates.check(acme, {})).toEqual(busy);
  const other = candidates.check(globex, {});
  end();
  expect(await Promise.all([...waiting, other])).toEqual(
    Array.from({ length: 4 }, () => ({ kind: 'unavailable', cause: 'ended' })),
  );
});

it('has no more places than it says, and gives each of them back', async () => {
  const { candidates, end } = stalled();
  const waiting = [acme, acme, acme, globex, globex].map((tenant) => candidates.check(tenant, {}));
  expect(await candidates.check(globex, {})).toEqual(busy);
  end();
  await Promise.all(waiting);
  const again = [
    candidates.check(acme, {}),
    candidates.inPlace(acme, () => Promise.reject(new Error('bug'))),
  ];
  end();
  expect(await Promise.allSettled(again)).toMatchObject([
    { value: { kind: 'unavailable' } },
    { status: 'rejected' },
  ]);
  const all = [acme, acme, acme, globex, globex].map((tenant) =>
    candidates.inPlace(tenant, () => Promise.resolve('in')),
  );
  expect(await Promise.all(all)).toEqual(Array.from({ length: 5 }, () => 'in'));
});
