import { TenantId, type EventType } from '@uar/contracts';
import type { EventDesk } from '@uar/events';
import type { CatalogTurn } from '../domain/tools/catalog-book.js';

/** Tells subscribers of a tenant what becomes of its servers and catalog: states and counts, no definitions. */
export class CatalogEvents {
  private readonly told = new Map<string, string>();

  constructor(
    private readonly desk: Pick<EventDesk, 'note'>,
    private readonly now: () => number,
  ) {}

  note({ version, changes }: CatalogTurn): void {
    const { upserted, removed, servers, servers_removed } = changes;
    for (const { tenant, name, status } of servers) this.noteState(tenant, name, status);
    for (const key of servers_removed) this.noteState(...tenantAndRest(key), 'removed');
    const counts = new Map<string, { changed: number; removed: number }>();
    const countsOf = (tenant: string) => {
      const counted = counts.get(tenant) ?? { changed: 0, removed: 0 };
      counts.set(tenant, counted);
      return counted;
    };
    for (const { facts } of upserted) countsOf(facts.tenant).changed += 1;
    for (const key of removed) countsOf(tenantAndRest(key)[0]).removed += 1;
    for (const [tenant, counted] of counts) this.send(tenant, 'catalog.changed', { version, ...counted });
  }

  private noteState(...[tenant, server, status]: [tenant: string, server: string, status: string]): void {
    const key = `${tenant}/${server}`;
    if (this.told.get(key) === status) return;
    if (status === 'removed') this.told.delete(key);
    else this.told.set(key, status);
    this.send(tenant, 'server.state', { server, status });
  }

  private send(tenant: string, type: EventType, data: object): void {
    const event = { type, at: this.now(), data_json: JSON.stringify(data) };
    this.desk.note({ tenant: TenantId.parse(tenant) }, event);
  }
}

function tenantAndRest(key: string): [tenant: string, rest: string] {
  const slash = key.indexOf('/');
  return [key.slice(0, slash), key.slice(slash + 1)];
}
