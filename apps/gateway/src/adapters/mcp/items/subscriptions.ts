import type { Item } from '@uar/contracts';

const most = 200;

/** The resources that one client wants to hear of, each under the URI that it used. */
export class Subscriptions {
  private readonly uris = new Map<string, { readonly item: Item; readonly uri: string }>();

  get isFull(): boolean {
    return this.uris.size >= most;
  }

  get items(): readonly Item[] {
    return [...this.uris.values()].map(({ item }) => item);
  }

  has(item: Item): boolean {
    return this.uris.has(keyOf(item.server, item.id));
  }

  add(item: Item, uri: string): void {
    this.uris.set(keyOf(item.server, item.id), { item, uri });
  }

  remove(item: Item): void {
    this.uris.delete(keyOf(item.server, item.id));
  }

  clear(): void {
    this.uris.clear();
  }

  /** Of a resource by its upstream's own URI, as the client called it. */
  uriOf(server: string, id: string): string | undefined {
    return this.uris.get(keyOf(server, id))?.uri;
  }
}

/** Names of servers have no space. */
function keyOf(server: string, id: string): string {
  return `${server} ${id}`;
}
