import type { Hosts, Listed, ListSource, PageStart, Unreached } from '../ports.js';

/** `stale`: the host has another list by now than when the first page was read, or not the server any more. */
export type Gathered = Listed | { readonly kind: 'stale' } | Unreached;

/** Reads a host's list page by page: between two of them other work of the process runs. */
export async function gatherPages(hosts: Pick<Hosts, 'listPage'>, source: ListSource): Promise<Gathered> {
  let from: PageStart;
  let whole: Listed | undefined;
  for (;;) {
    const page = await hosts.listPage(source, from);
    if (page.kind === 'unreached') return page;
    if (page.kind !== 'listed') return { kind: 'stale' };
    const { next, ...part } = page;
    if (whole !== undefined && whole.list_digest !== part.list_digest) return { kind: 'stale' };
    whole = whole === undefined ? part : joined(whole, part);
    if (next === undefined) return whole;
    if (next <= (from?.start ?? 0)) return { kind: 'unreached', reason: 'its pages do not go on' };
    from = { list_digest: part.list_digest, start: next };
  }
}

function joined(before: Listed, part: Listed): Listed {
  before.definitions.push(...part.definitions);
  before.duplicates.push(...part.duplicates);
  return before;
}
