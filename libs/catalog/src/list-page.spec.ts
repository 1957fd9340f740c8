import { hosts, listItems, listPageBytes } from '@uar/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { itemPage, listPage, type HostList } from './list-page.js';

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

/** What a registry gets that asks for one page after the other. */
function walk(list: HostList) {
  const pages = [];
  let start: number | undefined = 0;
  while (start !== undefined) {
    const page = hosts.mcp.listTools.answer.parse(listPage(list, { list_digest: list.digest, start }));
    if (page.kind !== 'listed') throw new Error(page.kind);
    pages.push(page);
    start = page.next;
  }
  return pages;
}

describe('listPage', () => {
  it('cuts 5,000 tools of 2 KB into pages that are short to write and to read (O2)', () => {
    const description = 'what "it" is good for '.repeat(90);
    const definitions = Array.from({ length: 5_000 }, (_, index) =>
      JSON.stringify({ name: `t${index}`, description }),
    );
    expect(bytesOf(definitions)).toBeGreaterThan(10_000_000);
    const pages = walk({ digest: 'd', definitions, duplicates: [] });
    expect(Math.max(...pages.map(bytesOf))).toBeLessThanOrEqual(listPageBytes);
    expect(pages.length).toBeLessThan(80);
    expect(pages.flatMap((page) => page.definitions)).toEqual(definitions);
  });

  it('gives every definition and every duplicate once, in order, whatever their lengths', () => {
    const text = fc.string({ unit: 'binary', maxLength: 40 });
    const texts = fc.array(
      fc.tuple(text, fc.nat(3_000)).map(([one, times]) => one.repeat(times)),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(texts, texts, (definitions, duplicates) => {
        const pages = walk({ digest: 'd', definitions, duplicates, incomplete: 'cut short' });
        expect(pages.flatMap((page) => page.definitions)).toEqual(definitions);
        expect(pages.flatMap((page) => page.duplicates)).toEqual(duplicates);
        for (const page of pages) {
          expect(page).toMatchObject({ list_digest: 'd', incomplete: 'cut short' });
          const single = page.definitions.length + page.duplicates.length === 1;
          expect(single || bytesOf(page) <= listPageBytes).toBe(true);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('gives the first page of whatever list there is, and no page of another list than asked', () => {
    const list = { digest: 'new', definitions: ['{}'], duplicates: [] };
    expect(listPage(list)).toEqual({
      ...{ kind: 'listed', list_digest: 'new' },
      ...{ definitions: ['{}'], duplicates: [] },
    });
    expect(listPage(list, { list_digest: 'old', start: 1 })).toEqual({ kind: 'stale' });
  });

  it('gives nothing behind the end', () => {
    const list = { digest: 'd', definitions: ['{}'], duplicates: [] };
    expect(listPage(list, { list_digest: 'd', start: 9 })).toMatchObject({ definitions: [], duplicates: [] });
  });
});

describe('itemPage', () => {
  it('walks a long list in pages of bounded length, and no other list than asked', () => {
    const definitions = Array.from({ length: 2_000 }, (_, index) =>
      JSON.stringify({ uri: `x:${index}`, text: 'x'.repeat(500) }),
    );
    const pages = [];
    let start: number | undefined = 0;
    while (start !== undefined) {
      const page = listItems.answer.parse(
        itemPage({ digest: 'd', definitions }, { list_digest: 'd', start }),
      );
      if (page.kind !== 'listed') throw new Error(page.kind);
      pages.push(page);
      start = page.next;
    }
    expect(Math.max(...pages.map(bytesOf))).toBeLessThanOrEqual(listPageBytes);
    expect(pages.flatMap((page) => page.definitions)).toEqual(definitions);
    expect(itemPage({ digest: 'd', definitions }, { list_digest: 'e', start: 0 })).toEqual({ kind: 'stale' });
  });
});
