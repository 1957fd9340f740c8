import { createHash } from 'node:crypto';
import { DefinitionChange, type Digest } from '@uar/contracts';
import { z } from 'zod';
import type { Journal, Setting, Settings } from '../ports.js';
import { serverKey, type ServerId, type ServerKey } from '../servers/desired-servers.js';
import { inBatches } from './batches.js';

const StoredItem = z.discriminatedUnion('kind', [
  /** The text of a reviewed definition. */
  z.strictObject({ kind: z.literal('text'), digest: z.string(), text: z.string() }),
  z.strictObject({ kind: z.literal('change'), change: DefinitionChange }),
]);
type StoredItem = z.output<typeof StoredItem>;

export interface ReviewedText {
  readonly name: string;
  readonly digest: Digest;
  readonly text: string;
}

interface Shelf {
  /** Digests of the texts that are kept, by public name. */
  readonly texts: Map<string, { readonly digest: string; readonly size: number }>;
  /** Of all texts together. */
  textSize: number;
  readonly changes: Map<string, DefinitionChange>;
  readonly revisions: Map<string, number>;
}

/** All texts of one server, in characters of JSON: a shelf is read in one answer of the ledger. */
const mostTextPerServer = 4_000_000;

/**
 * What reviewers need to see of a server besides digests, durable in the ledger: the texts of the reviewed definitions
 * and the changes found. A namespace of its own for each server, since a namespace is read as a whole.
 */
export class ReviewShelf {
  private readonly shelves = new Map<ServerKey, Promise<Shelf | undefined>>();

  constructor(
    private readonly settings: Settings,
    private readonly journal: Journal,
  ) {}

  /** The changes by id, oldest first, decided and outdated ones too; undefined when the ledger does not answer. */
  async changes(server: ServerId): Promise<ReadonlyMap<string, DefinitionChange> | undefined> {
    return (await this.shelf(server))?.changes;
  }

  /** True when this text is kept, or there is no room for it. */
  async keepsText(server: ServerId, { name, digest, text }: ReviewedText): Promise<boolean> {
    const shelf = await this.shelf(server);
    if (shelf === undefined) return false;
    const kept = shelf.texts.get(name);
    if (kept?.digest === digest) return true;
    return shelf.textSize - (kept?.size ?? 0) + sizeOf(text) > mostTextPerServer;
  }

  /** The kept texts of these definitions, by public name, as far as they are the ones asked for. */
  async texts(
    server: ServerId,
    wanted: ReadonlyMap<string, string>,
  ): Promise<ReadonlyMap<string, string> | undefined> {
    const found = await this.settings.read(namespaceOf(server));
    if (found === undefined) return undefined;
    const kept = itemsOf(server, found).flatMap(({ key, item }): [string, string][] => {
      const name = key.slice(textPrefix.length);
      return item.kind === 'text' && wanted.get(name) === item.digest ? [[name, item.text]] : [];
    });
    return new Map(kept);
  }

  async keepText(server: ServerId, { name, digest, text }: ReviewedText): Promise<boolean> {
    const shelf = await this.shelf(server);
    if (shelf === undefined) return false;
    const kept = await this.write(server, textPrefix + name, { kind: 'text', digest, text });
    if (kept) putText(shelf, name, { digest, size: sizeOf(text) });
    return kept;
  }

  async keepChange(server: ServerId, change: DefinitionChange): Promise<boolean> {
    const shelf = await this.shelf(server);
    if (shelf === undefined) return false;
    const kept = await this.write(server, changePrefix + change.id, { kind: 'change', change });
    if (kept) shelf.changes.set(change.id, change);
    return kept;
  }

  async dropChange(server: ServerId, id: string): Promise<void> {
    const shelf = await this.shelf(server);
    if (await this.write(server, changePrefix + id, null)) shelf?.changes.delete(id);
  }

  /** Of a server that is deleted. */
  async clear(server: ServerId): Promise<void> {
    const shelf = await this.shelf(server);
    await inBatches([...(shelf?.revisions.keys() ?? [])], (key) => this.write(server, key, null));
    this.shelves.delete(serverKey(server.tenant, server.name));
  }

  private shelf(server: ServerId): Promise<Shelf | undefined> {
    const key = serverKey(server.tenant, server.name);
    const known = this.shelves.get(key);
    if (known !== undefined) return known;
    const reading = this.read(server).then((shelf) => {
      if (shelf === undefined) this.shelves.delete(key);
      return shelf;
    });
    this.shelves.set(key, reading);
    return reading;
  }

  private async read(server: ServerId): Promise<Shelf | undefined> {
    const found = await this.settings.read(namespaceOf(server));
    if (found === undefined) {
      this.journal.warn({ tenant: server.tenant, server: server.name }, 'kept definitions were not read');
      return undefined;
    }
    const shelf: Shelf = { texts: new Map(), textSize: 0, changes: new Map(), revisions: new Map() };
    const changes: DefinitionChange[] = [];
    for (const { key, revision, item } of itemsOf(server, found)) {
      shelf.revisions.set(key, revision);
      if (item.kind === 'change') changes.push(item.change);
      else putText(shelf, key.slice(textPrefix.length), { digest: item.digest, size: sizeOf(item.text) });
    }
    for (const change of changes.toSorted(older)) shelf.changes.set(change.id, change);
    return shelf;
  }

  private async write(server: ServerId, key: string, value: StoredItem | null): Promise<boolean> {
    const { tenant, name } = server;
    const shelf = await this.shelf(server);
    const written = await this.settings.write({
      ...{ tenant, namespace: namespaceOf(server), key, value },
      ifRevision: shelf?.revisions.get(key) ?? 0,
    });
    if (written.kind === 'written') {
      if (value === null) shelf?.revisions.delete(key);
      else shelf?.revisions.set(key, written.revision);
      return true;
    }
    this.journal.warn({ tenant, server: name, cause: written.kind }, 'a definition or change was not kept');
    // Somebody else wrote: what is known here is old.
    if (written.kind === 'conflict') this.shelves.delete(serverKey(tenant, name));
    return false;
  }
}

const textPrefix = 'text/';
const changePrefix = 'change/';

function putText(shelf: Shelf, name: string, text: { digest: string; size: number }): void {
  shelf.textSize += text.size - (shelf.texts.get(name)?.size ?? 0);
  shelf.texts.set(name, text);
}

function itemsOf(server: ServerId, settings: readonly Setting[]) {
  return settings.flatMap(({ tenant, key, revision, value }) => {
    const parsed = StoredItem.safeParse(value);
    return parsed.success && tenant === server.tenant ? [{ key, revision, item: parsed.data }] : [];
  });
}

function namespaceOf({ tenant, name }: ServerId): string {
  const digest = createHash('sha256').update(serverKey(tenant, name)).digest('hex');
  return `review-${digest.slice(0, 16)}`;
}

function sizeOf(text: string): number {
  return JSON.stringify(text).length;
}

function older(one: DefinitionChange, two: DefinitionChange): number {
  return one.at < two.at ? -1 : Number(one.at > two.at);
}
