import { createHash } from 'node:crypto';
import type { Digest } from '@uar/contracts';
import { memberString } from '@uar/json-text';
import type { Upstream } from '../upstream.js';
import { definitionProblem, maxEntries, walkList, type WalkOptions } from '../lists/list-walk.js';

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

export type ReadListOptions = Pick<WalkOptions, 'clock' | 'signal'> & {
  readonly upstream: Pick<Upstream, 'listPage' | 'toolProblem'>;
  readonly digestOf: (definition: string) => Digest;
};

const longestName = 512;
const tooMany = `more than ${maxEntries} tools`;

/** Walks all pages of `tools/list`. A list that is cut short or leaves something out says so. */
export async function readToolList(options: ReadListOptions): Promise<ReadList> {
  const collector = new Collector(options);
  const walked = await walkList({
    ...options,
    list: 'tools',
    take: (definition) => collector.add(definition),
    full: () => (collector.full ? tooMany : undefined),
  });
  return walked.kind === 'failed' ? walked : { kind: 'list', list: collector.list(walked.cutShort) };
}

function nameOf(definition: string): string | undefined {
  const name = memberString(definition, 'name') ?? '';
  return name !== '' && name.length <= longestName ? name : undefined;
}

class Collector {
  private readonly tools = new Map<string, ListedTool>();
  private readonly duplicates = new Set<string>();
  private readonly reasons = new Map<string, number>();
  /** Of the texts as they come: one hash over a whole list would hold up the loop. */
  private readonly content = createHash('sha256');
  private seen = 0;

  constructor(private readonly options: Pick<ReadListOptions, 'digestOf' | 'upstream'>) {}

  get full(): boolean {
    return this.seen >= maxEntries;
  }

  add(definition: string): void {
    if (this.full) return this.leaveOut(tooMany);
    this.seen += 1;
    const problem = definitionProblem(definition, 'tool') ?? this.options.upstream.toolProblem?.(definition);
    if (problem !== undefined) return this.leaveOut(problem);
    const rawName = nameOf(definition);
    if (rawName === undefined) return this.leaveOut('a tool has no usable name');
    // No JSON text that was scanned has a NUL.
    this.content.update(definition).update('\0');
    if (this.tools.has(rawName)) this.duplicates.add(rawName);
    this.tools.set(rawName, { rawName, definition, digest: this.options.digestOf(definition) });
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
