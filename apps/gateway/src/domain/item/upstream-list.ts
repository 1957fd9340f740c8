import type { AnswerOf, CatalogServer, InstanceId, ItemListName, listItems } from '@uar/contracts';
import type { Clock } from '../call/ports.js';
import type { ServerItems } from './item-desk.js';
import type { ItemHosts } from './ports.js';

export interface ReadItems extends ServerItems {
  /** Why the list is missing or not whole. */
  readonly problem?: string;
}

type Page = Extract<AnswerOf<typeof listItems>, { kind: 'listed' }>;

const readMs = 5_000;
/** A list that changes while it is read is begun again this often at most, at one instance or the next. */
const mostAttempts = 4;

const mostItems = 10_000;
const mostListBytes = 8 * 1024 * 1024;

/** How much one answer may still take, of all its upstreams together: whoever is read first has it first. */
export class ListBudget {
  private items = mostItems;
  private bytes = mostListBytes;

  /** The definitions there is room for. */
  take(definitions: readonly string[]): readonly string[] {
    const end = definitions.findIndex((definition) => {
      this.items -= 1;
      this.bytes -= Buffer.byteLength(definition);
      return this.items < 0 || this.bytes < 0;
    });
    return end < 0 ? definitions : definitions.slice(0, end);
  }
}

/** Reads the list of one upstream from whichever of its hosts has it, page by page. */
export class UpstreamList {
  constructor(
    private readonly hosts: ItemHosts,
    private readonly clock: Pick<Clock, 'now'>,
  ) {}

  async read(server: CatalogServer, list: ItemListName, budget: ListBudget): Promise<ReadItems> {
    const { name, instances, status } = server;
    if (instances.length === 0) return missing(name, `the server is ${status}`);
    const until = this.clock.now() + readMs;
    let problem = 'its list changes all the time';
    for (let attempt = 0, turn = 0; attempt < mostAttempts; attempt += 1) {
      const instance = instances[turn % instances.length];
      if (instance === undefined || turn >= instances.length) break;
      const pages = await this.pages(server, list, { instance, until });
      if (pages.kind === 'listed') return taken(name, pages.definitions, budget);
      if (pages.kind === 'stale') continue;
      turn += 1;
      problem = 'message' in pages ? pages.message : 'its host does not answer';
    }
    return missing(name, problem);
  }

  private async pages(
    { tenant, name }: CatalogServer,
    list: ItemListName,
    { instance, until }: { readonly instance: InstanceId; readonly until: number },
  ): Promise<{ kind: 'listed'; definitions: readonly string[] } | Exclude<Answer, Page>> {
    const definitions: string[] = [];
    let bytes = 0;
    let from: { list_digest: string; start: number } | undefined;
    for (;;) {
      const ask = { tenant, server: name, list, ...(from === undefined ? {} : { from }) };
      const page = await this.hosts.page(instance, ask, until - this.clock.now());
      if (page.kind !== 'listed') return page;
      definitions.push(...page.definitions);
      bytes += page.definitions.reduce((sum, it) => sum + Buffer.byteLength(it), 0);
      if (page.next === undefined || definitions.length > mostItems || bytes > mostListBytes)
        return { kind: 'listed', definitions };
      from = { list_digest: page.list_digest, start: page.next };
    }
  }
}

type Answer = Awaited<ReturnType<ItemHosts['page']>>;

function taken(server: string, definitions: readonly string[], budget: ListBudget): ReadItems {
  const left = budget.take(definitions);
  if (left.length === definitions.length) return { server, definitions };
  return { server, definitions: left, problem: 'its list is too long' };
}

function missing(server: string, problem: string): ReadItems {
  return { server, definitions: [], problem };
}
