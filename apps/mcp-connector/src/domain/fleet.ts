import type { ServerReport, WantedServer } from '@uar/contracts';
import type { LinkPorts } from './link/connection.js';
import { ServerLink } from './link/server-link.js';

/** All servers this host keeps connected: the one owner of their links. */
export class Fleet {
  private readonly links = new Map<string, ServerLink>();
  private readonly leaving = new Set<Promise<void>>();
  private isStopping = false;

  constructor(
    private readonly ports: LinkPorts,
    private readonly removalGraceMs: number,
  ) {}

  get stopping(): boolean {
    return this.isStopping;
  }

  /** Makes the fleet what is wanted: connects new servers, updates known ones, stops the others. */
  apply(wanted: readonly WantedServer[]): void {
    if (this.isStopping) return;
    const keys = new Set(wanted.map((server) => keyOf(server.tenant, server.name)));
    for (const [key, link] of this.links) {
      if (keys.has(key)) continue;
      this.links.delete(key);
      this.leave(link);
    }
    for (const server of wanted) {
      const key = keyOf(server.tenant, server.name);
      const link = this.links.get(key);
      if (link === undefined) this.links.set(key, new ServerLink(server, this.ports));
      else link.update(server);
    }
    this.ports.onChange();
  }

  find(tenant: string, server: string): ServerLink | undefined {
    return this.links.get(keyOf(tenant, server));
  }

  reports(): ServerReport[] {
    return [...this.links.values()].map((link) => link.report());
  }

  /** No new connections from now on; running calls get `graceMs`, then every connection is closed. */
  async stop(graceMs: number): Promise<void> {
    this.isStopping = true;
    await Promise.all([...this.links.values()].map((link) => link.stop(graceMs)));
    await Promise.all(this.leaving);
  }

  private leave(link: ServerLink): void {
    const left = link.stop(this.removalGraceMs).finally(() => this.leaving.delete(left));
    this.leaving.add(left);
  }
}

function keyOf(tenant: string, server: string): string {
  return `${tenant}/${server}`;
}
