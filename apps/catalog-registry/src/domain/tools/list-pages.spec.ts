import { listPage, type HostList } from '@uar/catalog';
import { TenantId, listPageBytes } from '@uar/contracts';
import { expect, it } from 'vitest';
import type { ListPage, PageStart, Unreached } from '../ports.js';
import { gatherPages } from './list-pages.js';

const source = { host: 'mcp', instance: 'i', tenant: TenantId.parse('t'), server: 's' } as const;
const long = (count: number, digest = 'd'): HostList => ({
  ...{ digest, duplicates: ['twin'], incomplete: 'cut short' },
  definitions: Array.from({ length: count }, (_, index) =>
    JSON.stringify({ name: `t${index}`, description: 'x'.repeat(2_000) }),
  ),
});
const gather = (page: (from: PageStart) => ListPage | Unreached) =>
  gatherPages({ listPage: (_source, from) => Promise.resolve(page(from)) }, source);

it('puts a list of 5,000 tools together from short pages, in order (O2)', async () => {
  const list = long(5_000);
  const lengths: number[] = [];
  const gathered = await gather((from) => {
    const page = listPage(list, from);
    lengths.push(Buffer.byteLength(JSON.stringify(page)));
    return page;
  });
  expect(gathered).toEqual({
    ...{ kind: 'listed', list_digest: 'd', duplicates: ['twin'], incomplete: 'cut short' },
    definitions: list.definitions,
  });
  expect(lengths.length).toBeGreaterThan(30);
  expect(Math.max(...lengths)).toBeLessThanOrEqual(listPageBytes);
});

it('never mixes two lists: one that changes under way is stale, whichever end notices', async () => {
  const lists = [long(500), long(500, 'other')];
  expect(await gather((from) => listPage(lists[from === undefined ? 0 : 1] ?? long(0), from))).toEqual({
    kind: 'stale',
  });
  expect(
    await gather((from) =>
      from === undefined
        ? listPage(long(500))
        : listPage(long(500, 'other'), { ...from, list_digest: 'other' }),
    ),
  ).toEqual({ kind: 'stale' });
});

it('says that a server left its host, or that the host is not reached', async () => {
  expect(await gather(() => ({ kind: 'not_owner' }))).toEqual({ kind: 'stale' });
  const away = { kind: 'unreached', reason: 'timed_out' } as const;
  expect(await gather((from) => (from === undefined ? listPage(long(500)) : away))).toEqual(away);
});

it('stops at a host whose pages do not go on', async () => {
  const page = { kind: 'listed', list_digest: 'd', definitions: [], duplicates: [], next: 1 } as const;
  expect(await gather(() => ({ ...page, definitions: [], duplicates: [] }))).toMatchObject({
    kind: 'unreached',
  });
});
