import { z } from 'zod';
import type { Journal, Setting, Settings } from '../ports.js';
import { serverKey, type DesiredServer, type ServerKey } from '../servers/desired-servers.js';
import type { Reviewed } from './entries.js';
import type { ToolList } from './tool-list.js';

/** Namespace of the ledger's settings; one setting per server. */
export const pinsNamespace = 'pins';

const StoredPins = z.discriminatedUnion('kind', [
  /** Definition digests by public name. */
  z.strictObject({ kind: z.literal('reviewed'), digests: z.record(z.string(), z.string()) }),
  z.strictObject({ kind: z.literal('none') }),
]);
type StoredPins = z.output<typeof StoredPins>;

interface Known {
  readonly revision: number;
  readonly reviewed: Reviewed | undefined;
}

/** The reviewed definitions of each server. The first list is taken as reviewed, once that is durable (API.md 3). */
export class Pins {
  private readonly known = new Map<ServerKey, Known>();

  constructor(
    private readonly settings: Settings,
    private readonly journal: Journal,
  ) {}

  reviewed(key: ServerKey): Reviewed | undefined {
    return this.known.get(key)?.reviewed;
  }

  load(settings: readonly Setting[]): void {
    for (const { tenant, key, revision, value } of settings) {
      const parsed = StoredPins.safeParse(value);
      if (!parsed.success) this.journal.warn({ tenant, server: key }, 'stored pins are unreadable');
      // Unreadable pins are an empty review: under `block` nothing of the server runs, rather than all of it.
      const reviewed = parsed.success ? reviewedOf(parsed.data) : new Map<string, string>();
      this.known.set(serverKey(tenant, key), { revision, reviewed });
    }
  }

  /** Takes the first list of a pinned server as reviewed. When that cannot be made durable, nothing is reviewed. */
  async takeFirst(server: DesiredServer, list: ToolList): Promise<void> {
    if (server.config.pin === 'off' || this.reviewed(serverKey(server.tenant, server.name)) !== undefined)
      return;
    const digests = Object.fromEntries(list.tools.map(({ name, digest }) => [name, digest]));
    await this.write(server, { kind: 'reviewed', digests });
  }

  /** Of a server that is deleted: a later one of this name starts anew. */
  async forget(server: Pick<DesiredServer, 'tenant' | 'name'>): Promise<void> {
    if (this.known.has(serverKey(server.tenant, server.name))) await this.write(server, { kind: 'none' });
  }

  private async write(
    { tenant, name }: Pick<DesiredServer, 'tenant' | 'name'>,
    value: StoredPins,
  ): Promise<void> {
    const key = serverKey(tenant, name);
    const ifRevision = this.known.get(key)?.revision ?? 0;
    const written = await this.settings.write({
      tenant,
      namespace: pinsNamespace,
      key: name,
      value,
      ifRevision,
    });
    if (written.kind === 'written') {
      this.known.set(key, { revision: written.revision, reviewed: reviewedOf(value) });
      return;
    }
    this.journal.warn({ tenant, server: name, cause: written.kind }, 'pins were not stored');
    if (written.kind === 'conflict') this.load((await this.settings.read(pinsNamespace)) ?? []);
  }
}

function reviewedOf(stored: StoredPins): Reviewed | undefined {
  return stored.kind === 'reviewed' ? new Map(Object.entries(stored.digests)) : undefined;
}
