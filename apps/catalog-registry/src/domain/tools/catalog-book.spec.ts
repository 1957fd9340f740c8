import { CatalogEntry, TenantId, type CatalogServer } from '@uar/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CatalogBook, type CatalogChange } from './catalog-book.js';

const tenant = TenantId.parse('default');

function entry(server: string, raw: string, title: string): CatalogEntry {
  const digest = `sha256:${'0'.repeat(64)}`;
  return CatalogEntry.parse({
    ...{ name: `${server}__${raw}`, host: 'mcp', state: 'available', timeout_ms: 1 },
    definition_json: JSON.stringify({ name: raw, title }),
    facts: {
      ...{ tenant, server, raw_name: raw, source: 'mcp', family: 'mcp', capabilities: [], risk: 3 },
      ...{ read_only: false, destructive: true, idempotent: false, open_world: true, hints_trusted: false },
      ...{
        enabled: true,
        pinned: true,
        quorum: 1,
        labels: [],
        secret_pointers: [],
        definition_digest: digest,
      },
      extractors: { paths: [], hosts: [], recipients: [] },
    },
  });
}

const row = (name: string): CatalogServer => ({ tenant, name, host: 'mcp', status: 'ready', instances: [] });

/** What a follower of the announced changes holds. */
class Follower {
  readonly entries = new Map<string, CatalogEntry>();
  readonly servers = new Map<string, CatalogServer>();

  follow({ changes }: CatalogChange): void {
    for (const key of changes?.removed ?? []) this.entries.delete(key);
    for (const key of changes?.servers_removed ?? []) this.servers.delete(key);
    for (const one of changes?.upserted ?? []) this.entries.set(`${tenant}/${one.name}`, one);
    for (const one of changes?.servers ?? []) this.servers.set(`${tenant}/${one.name}`, one);
  }
}

const steps = fc.array(
  fc.record({
    server: fc.constantFrom('a', 'b', 'c'),
    tools: fc.option(
      fc.uniqueArray(fc.tuple(fc.constantFrom('x', 'y', 'z'), fc.constantFrom('1', '2')), {
        selector: ([raw]) => raw,
      }),
    ),
  }),
  { maxLength: 25 },
);

describe('CatalogBook', () => {
  it('announces changes that lead a follower from any snapshot to the same catalog', () => {
    fc.assert(
      fc.property(steps, (changes) => {
        const book = new CatalogBook('boot');
        const follower = new Follower();
        let version = book.version;
        for (const { server, tools } of changes) {
          const entries = (tools ?? []).map(([raw, title]) => entry(server, raw, title));
          const change = tools === null ? book.remove(`${tenant}/${server}`) : book.put(row(server), entries);
          if (change === undefined) continue;
          expect(change.previous).toBe(version);
          follower.follow(change);
          version = change.version;
        }
        expect(book.version).toBe(version);
        const page = book.page();
        const keyed = new Map(page.entries.map((one) => [`${tenant}/${one.name}`, one]));
        expect(keyed).toEqual(follower.entries);
        expect(new Map(page.servers.map((one) => [`${tenant}/${one.name}`, one]))).toEqual(follower.servers);
      }),
    );
  });

  it('announces nothing and keeps its version when nothing changed', () => {
    const book = new CatalogBook('boot');
    expect(book.put(row('a'), [entry('a', 'x', '1')])).toMatchObject({
      previous: 'boot.1',
      version: 'boot.2',
    });
    expect(book.put(row('a'), [entry('a', 'x', '1')])).toBeUndefined();
    expect(book.remove('default/b')).toBeUndefined();
    expect(book.version).toBe('boot.2');
  });

  it('leaves the content out of a change that is too large to announce', () => {
    const book = new CatalogBook('boot', { changeBytes: 500, pageBytes: 1_000 });
    expect(book.put(row('a'), [])?.changes).toBeDefined();
    expect(book.put(row('a'), [entry('a', 'x', '1')])).toEqual({ previous: 'boot.2', version: 'boot.3' });
  });

  it('gives the snapshot in pages, whole, in order of key, servers in the first', () => {
    const book = new CatalogBook('boot', { changeBytes: 1_000_000, pageBytes: 2_500 });
    const tools = Array.from({ length: 20 }, (_, index) => entry('a', `t${index}`, 'title'));
    book.put(row('a'), tools);
    const pages = [book.page()];
    for (let next = pages[0]?.next; next !== undefined; next = pages.at(-1)?.next)
      pages.push(book.page(next));
    expect(pages.length).toBeGreaterThan(5);
    const names = pages.flatMap(({ entries }) => entries.map(({ name }) => name));
    expect(names).toEqual(tools.map(({ name }) => name).toSorted());
    expect(pages.map(({ servers }) => servers.length)).toEqual([1, ...pages.slice(1).map(() => 0)]);
  });
});
