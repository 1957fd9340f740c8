import { z } from 'zod';
import type { Deed, Journal, Setting, Settings } from '../ports.js';
import { serverKey, type DesiredServer, type ServerId, type ServerKey } from '../servers/desired-servers.js';
import type { ToolList } from './tool-list.js';

/** Namespace of the ledger's settings; one setting per server. */
export const pinsNamespace = 'pins';

const digestsByName = z.record(z.string(), z.string());

const StoredPins = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('reviewed'),
    /** The reviewed definitions by public name: those of the first list, later those that people accepted. */
    digests: digestsByName,
    /** Only those that people accepted. */
    accepted: digestsByName.default({}),
    rejected: z.record(z.string(), z.array(z.string()).readonly()).default({}),
  }),
  z.strictObject({ kind: z.literal('none') }),
]);
type StoredPins = z.output<typeof StoredPins>;

/** What was reviewed of a server, as digests by public name. */
export interface Review {
  readonly digests: ReadonlyMap<string, string>;
  readonly accepted: ReadonlyMap<string, string>;
  readonly rejected: ReadonlyMap<string, readonly string[]>;
}

export interface PinDecision {
  readonly tool: string;
  readonly digest: string;
  readonly decision: 'accept' | 'reject';
}

interface Known {
  readonly revision: number;
  readonly review: Review | undefined;
}

const rejectionsRemembered = 32;
const nothingReviewed: Review = { digests: new Map(), accepted: new Map(), rejected: new Map() };

/** The reviewed definitions of each server. The first list is taken as reviewed, once that is durable (API.md 3). */
export class Pins {
  private readonly known = new Map<ServerKey, Known>();

  constructor(
    private readonly settings: Settings,
    private readonly journal: Journal,
  ) {}

  /** Undefined: nothing was reviewed yet. */
  review(key: ServerKey): Review | undefined {
    return this.known.get(key)?.review;
  }

  load(settings: readonly Setting[]): void {
    for (const { tenant, key, revision, value } of settings) {
      const parsed = StoredPins.safeParse(value);
      if (!parsed.success) this.journal.warn({ tenant, server: key }, 'stored pins are unreadable');
      // Unreadable pins are an empty review: under `block` nothing of the server runs, rather than all of it.
      const review = parsed.success ? reviewOf(parsed.data) : nothingReviewed;
      this.known.set(serverKey(tenant, key), { revision, review });
    }
  }

  /** Takes the first list of a pinned server as reviewed. When that cannot be made durable, nothing is reviewed. */
  async takeFirst(server: DesiredServer, list: ToolList): Promise<void> {
    if (server.config.pin === 'off' || this.review(serverKey(server.tenant, server.name)) !== undefined)
      return;
    const digests = new Map(list.tools.map(({ name, digest }) => [name, digest]));
    await this.write(server, { ...nothingReviewed, digests });
  }

  /** What a reviewer said of one definition, one write with its receipt. False: it is not durable, and nothing changed. */
  decide(server: ServerId, { tool, digest, decision }: PinDecision, deed: Deed): Promise<boolean> {
    const review = this.review(serverKey(server.tenant, server.name)) ?? nothingReviewed;
    const { digests, accepted, rejected } = review;
    const others = (rejected.get(tool) ?? []).filter((one) => one !== digest);
    if (decision === 'reject') {
      const refused = [...others, digest].slice(-rejectionsRemembered);
      return this.write(
        server,
        { digests, accepted, rejected: new Map([...rejected, [tool, refused]]) },
        deed,
      );
    }
    const after = {
      digests: new Map([...digests, [tool, digest]]),
      accepted: new Map([...accepted, [tool, digest]]),
      rejected: new Map([...rejected, [tool, others]]),
    };
    return this.write(server, after, deed);
  }

  /** Of a server that is deleted: a later one of this name starts anew. */
  async forget(server: ServerId): Promise<void> {
    if (this.known.has(serverKey(server.tenant, server.name))) await this.write(server, undefined);
  }

  private async write({ tenant, name }: ServerId, review: Review | undefined, deed?: Deed): Promise<boolean> {
    const key = serverKey(tenant, name);
    const written = await this.settings.write({
      tenant,
      namespace: pinsNamespace,
      key: name,
      value: toStored(review),
      ifRevision: this.known.get(key)?.revision ?? 0,
      ...(deed === undefined ? {} : { deed }),
    });
    if (written.kind === 'written') {
      this.known.set(key, { revision: written.revision, review });
      return true;
    }
    this.journal.warn({ tenant, server: name, cause: written.kind }, 'pins were not stored');
    if (written.kind === 'conflict') this.load((await this.settings.read(pinsNamespace)) ?? []);
    return false;
  }
}

function reviewOf(stored: StoredPins): Review | undefined {
  if (stored.kind === 'none') return undefined;
  return {
    digests: new Map(Object.entries(stored.digests)),
    accepted: new Map(Object.entries(stored.accepted)),
    rejected: new Map(Object.entries(stored.rejected)),
  };
}

function toStored(review: Review | undefined): StoredPins {
  if (review === undefined) return { kind: 'none' };
  return {
    kind: 'reviewed',
    digests: Object.fromEntries(review.digests),
    accepted: Object.fromEntries(review.accepted),
    rejected: Object.fromEntries([...review.rejected].filter(([, digests]) => digests.length > 0)),
  };
}
