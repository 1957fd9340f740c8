import type {
  AnswerOf,
  BodyOf,
  CatalogEntry,
  CatalogServer,
  catalogChanged,
  readCatalog,
} from '@uar/contracts';
import { serverKey, type ServerKey } from '../servers/desired-servers.js';

export type CatalogChange = BodyOf<typeof catalogChanged>;
export type CatalogPage = AnswerOf<typeof readCatalog>;

/** What one step of the catalog changed, whole: a change that is too long to announce has no content. */
export interface CatalogTurn {
  readonly version: string;
  readonly changes: NonNullable<CatalogChange['changes']>;
}

interface Chapter {
  readonly server: CatalogServer;
  readonly entries: readonly CatalogEntry[];
}

export interface BookLimits {
  /** Longest change that is announced with its content, in bytes of JSON. */
  readonly changeBytes: number;
  /** Roughly the longest page of a snapshot, in bytes of JSON. */
  readonly pageBytes: number;
}

const usualLimits: BookLimits = { changeBytes: 400_000, pageBytes: 200_000 };
const bytesBesideDefinition = 1_000;

/** The catalog with a version of each of its states: `<boot>.<n>`. */
export class CatalogBook {
  private readonly chapters = new Map<ServerKey, Chapter>();
  private readonly byKey = new Map<string, CatalogEntry>();
  private sortedKeys: readonly string[] | undefined;
  private counter = 1;

  constructor(
    private readonly boot: string,
    private readonly limits: BookLimits = usualLimits,
    private readonly onTurn: (turn: CatalogTurn) => void = () => undefined,
  ) {}

  get version(): string {
    return `${this.boot}.${this.counter}`;
  }

  entriesOf(key: ServerKey): readonly CatalogEntry[] {
    return this.chapters.get(key)?.entries ?? [];
  }

  /** Puts what is known of one server in place; undefined when that is what stands there. */
  put(server: CatalogServer, entries: readonly CatalogEntry[]): CatalogChange | undefined {
    const key = serverKey(server.tenant, server.name);
    const before = this.chapters.get(key);
    const upserted = entries.filter((entry) => !sameEntry(this.byKey.get(entryKey(entry)), entry));
    const kept = new Set(entries.map(entryKey));
    const removed = (before?.entries ?? []).map(entryKey).filter((old) => !kept.has(old));
    const servers = same(before?.server, server) ? [] : [server];
    this.chapters.set(key, { server, entries });
    return this.turn({ upserted, removed, servers, servers_removed: [] });
  }

  remove(key: ServerKey): CatalogChange | undefined {
    const before = this.chapters.get(key);
    if (before === undefined) return undefined;
    this.chapters.delete(key);
    const removed = before.entries.map(entryKey);
    return this.turn({ upserted: [], removed, servers: [], servers_removed: [key] });
  }

  /** One page of the snapshot: the entries behind the key `after`, in order of key; servers stand in the first page. */
  page(after?: string): CatalogPage {
    const keys = (this.sortedKeys ??= [...this.byKey.keys()].toSorted());
    const start = after === undefined ? 0 : firstBehind(keys, after);
    const entries: CatalogEntry[] = [];
    let bytes = 0;
    let index = start;
    for (; index < keys.length && bytes < this.limits.pageBytes; index += 1) {
      const entry = this.byKey.get(keys[index] ?? '');
      if (entry === undefined) continue;
      entries.push(entry);
      bytes += entry.definition_json.length + bytesBesideDefinition;
    }
    const last = keys[index - 1];
    const servers = after === undefined ? [...this.chapters.values()].map(({ server }) => server) : [];
    const next = index < keys.length && last !== undefined ? { next: last } : {};
    return { version: this.version, entries, servers, ...next };
  }

  private turn(changes: NonNullable<CatalogChange['changes']>): CatalogChange | undefined {
    const { upserted, removed, servers, servers_removed } = changes;
    if (upserted.length + removed.length + servers.length + servers_removed.length === 0) return undefined;
    if (removed.length > 0 || upserted.some((entry) => !this.byKey.has(entryKey(entry))))
      this.sortedKeys = undefined;
    for (const key of removed) this.byKey.delete(key);
    for (const entry of upserted) this.byKey.set(entryKey(entry), entry);
    const previous = this.version;
    this.counter += 1;
    this.onTurn({ version: this.version, changes });
    return { version: this.version, previous, ...(this.fits(changes) ? { changes } : {}) };
  }

  /** Most of a change is definitions: a long one is known by them, without writing it out. */
  private fits(changes: NonNullable<CatalogChange['changes']>): boolean {
    const atLeast = changes.upserted.reduce((sum, { definition_json: text }) => sum + text.length, 0);
    if (atLeast > this.limits.changeBytes) return false;
    return Buffer.byteLength(JSON.stringify(changes)) <= this.limits.changeBytes;
  }
}

function entryKey(entry: CatalogEntry): string {
  return `${entry.facts.tenant}/${entry.name}`;
}

function firstBehind(keys: readonly string[], after: string): number {
  const found = keys.findIndex((key) => key > after);
  return found === -1 ? keys.length : found;
}

function sameEntry(one: CatalogEntry | undefined, two: CatalogEntry): boolean {
  if (one?.definition_json !== two.definition_json) return false;
  return same({ ...one, definition_json: '' }, { ...two, definition_json: '' });
}

function same(one: unknown, two: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(two);
}
