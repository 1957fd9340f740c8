import { createHash } from 'node:crypto';
import type { Digest } from '@uar/contracts';
import { memberText, scanJson } from '@uar/json-text';
import type { Clock } from '../clock.js';
import type { Upstream } from '../upstream.js';

export interface ListedTool {
  readonly rawName: string;
  /** The upstream's own text of the tool object. */
  readonly definition: string;
  readonly digest: Digest;
}

/** What an upstream serves, in its order. */
export interface ToolList {
  readonly tools: ReadonlyMap<string, ListedTool>;
  /** Changes whenever anything below does. */
  readonly digest: string;
  readonly duplicates: readonly string[];
  readonly incomplete?: string;
}

export type ReadList =
  { readonly kind: 'list'; readonly list: ToolList } | { readonly kind: 'failed'; readonly message: string };

export interface ListBounds {
  readonly maxPages: number;
  readonly maxTools: number;
  readonly maxDefinitionBytes: number;
  readonly maxDefinitionDepth: number;
  readonly maxNameLength: number;
}

const listBounds: ListBounds = {
  maxPages: 100,
  maxTools: 5_000,
  maxDefinitionBytes: 64 * 1024,
  maxDefinitionDepth: 32,
  maxNameLength: 512,
};

export interface ReadListOptions {
  readonly upstream: Pick<Upstream, 'listPage'>;
  readonly digestOf: (definition: string) => Digest;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly bounds?: ListBounds;
}

/** Longest work on a list in one go, and the pause behind it in which calls go on. */
const sliceMs = 10;
const pauseMs = 1;

/** Walks all pages of `tools/list`. A list that is cut short or leaves something out says so. */
export async function readToolList(options: ReadListOptions): Promise<ReadList> {
  const bounds = options.bounds ?? listBounds;
  const collector = new Collector(bounds, options.digestOf);
  const cursors = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < bounds.maxPages; page += 1) {
    const answer = await options.upstream.listPage(cursor, options.signal);
    if (answer.kind === 'failed') return answer;
    await collect(answer.definitions, collector, options);
    cursor = answer.nextCursor;
    if (cursor === undefined) return { kind: 'list', list: collector.list() };
    if (cursors.has(cursor)) return { kind: 'list', list: collector.list('the upstream repeats a cursor') };
    if (collector.full) return { kind: 'list', list: collector.list(`more than ${bounds.maxTools} tools`) };
    cursors.add(cursor);
  }
  return { kind: 'list', list: collector.list(`more than ${bounds.maxPages} pages`) };
}

async function collect(
  definitions: readonly string[],
  collector: Collector,
  { clock, signal }: ReadListOptions,
): Promise<void> {
  let sliceEnd = clock.now() + sliceMs;
  for (const definition of definitions) {
    collector.add(definition);
    if (clock.now() < sliceEnd) continue;
    await clock.wait(pauseMs, signal);
    sliceEnd = clock.now() + sliceMs;
  }
}

/** A tool object that may be shown, or why it is left out. */
function problemOf(definition: string, bounds: ListBounds): string | undefined {
  if (Buffer.byteLength(definition) > bounds.maxDefinitionBytes) return 'a tool definition is too large';
  const scan = scanJson(definition, { maxDepth: bounds.maxDefinitionDepth });
  if (scan.kind === 'ok') return scan.rootKind === 'object' ? undefined : 'a tool is no object';
  return scan.problem === 'duplicate_member'
    ? 'a tool definition names a member twice'
    : 'a tool definition is nested too deeply';
}

function nameOf(definition: string, bounds: ListBounds): string | undefined {
  const text = memberText(definition, 'name');
  if (text === undefined || !text.startsWith('"')) return undefined;
  const name: unknown = JSON.parse(text);
  return typeof name === 'string' && name !== '' && name.length <= bounds.maxNameLength ? name : undefined;
}

class Collector {
  private readonly tools = new Map<string, ListedTool>();
  private readonly duplicates = new Set<string>();
  private readonly reasons = new Map<string, number>();
  /** Of the texts as they come: one hash over a whole list would hold up the loop. */
  private readonly content = createHash('sha256');
  private seen = 0;

  constructor(
    private readonly bounds: ListBounds,
    private readonly digestOf: (definition: string) => Digest,
  ) {}

  get full(): boolean {
    return this.seen >= this.bounds.maxTools;
  }

  add(definition: string): void {
    if (this.full) return this.leaveOut(`more than ${this.bounds.maxTools} tools`);
    this.seen += 1;
    const problem = problemOf(definition, this.bounds);
    if (problem !== undefined) return this.leaveOut(problem);
    const rawName = nameOf(definition, this.bounds);
    if (rawName === undefined) return this.leaveOut('a tool has no usable name');
    // No JSON text that was scanned has a NUL.
    this.content.update(definition).update('\0');
    if (this.tools.has(rawName)) this.duplicates.add(rawName);
    this.tools.set(rawName, { rawName, definition, digest: this.digestOf(definition) });
  }

  list(cutShort?: string): ToolList {
    for (const rawName of this.duplicates) this.tools.delete(rawName);
    const reasons = [...this.reasons].map(([reason, count]) => `${reason} (left out: ${count})`);
    if (this.duplicates.size > 0) reasons.push(`${this.duplicates.size} names stand twice in the list`);
    if (cutShort !== undefined && !reasons.some((reason) => reason.startsWith(cutShort)))
      reasons.push(cutShort);
    const duplicates = [...this.duplicates];
    return {
      tools: this.tools,
      digest: this.content.update(JSON.stringify(reasons)).digest('hex'),
      duplicates,
      ...(reasons.length === 0 ? {} : { incomplete: reasons.join('; ') }),
    };
  }

  private leaveOut(reason: string): void {
    this.reasons.set(reason, (this.reasons.get(reason) ?? 0) + 1);
  }
}
