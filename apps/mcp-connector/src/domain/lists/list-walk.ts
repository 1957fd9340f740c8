import { scanJson } from '@uar/json-text';
import type { Clock } from '../clock.js';
import type { ListName, Upstream } from '../upstream.js';

/** Most entries that are taken of one list. */
export const maxEntries = 5_000;
const maxPages = 100;
const maxDefinitionBytes = 64 * 1024;
const maxDefinitionDepth = 32;

export interface WalkOptions {
  readonly upstream: Pick<Upstream, 'listPage'>;
  readonly list: ListName;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly take: (definition: string) => void;
  /** Why no further page is wanted. */
  readonly full: () => string | undefined;
}

export type Walked =
  | { readonly kind: 'walked'; readonly cutShort?: string }
  | { readonly kind: 'failed'; readonly message: string };

/** Longest work on a list in one go, and the pause behind it in which calls go on. */
const sliceMs = 10;
const pauseMs = 1;

/** Takes what stands on all pages of a list of an upstream, in its order. */
export async function walkList(options: WalkOptions): Promise<Walked> {
  const cursors = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const answer = await options.upstream.listPage(options.list, cursor, options.signal);
    if (answer.kind === 'failed') return answer;
    await takeAll(answer.definitions, options);
    cursor = answer.nextCursor;
    if (cursor === undefined) return { kind: 'walked' };
    if (cursors.has(cursor)) return { kind: 'walked', cutShort: 'the upstream repeats a cursor' };
    const full = options.full();
    if (full !== undefined) return { kind: 'walked', cutShort: full };
    cursors.add(cursor);
  }
  return { kind: 'walked', cutShort: `more than ${maxPages} pages` };
}

async function takeAll(definitions: readonly string[], { clock, signal, take }: WalkOptions): Promise<void> {
  let sliceEnd = clock.now() + sliceMs;
  for (const definition of definitions) {
    take(definition);
    if (clock.now() < sliceEnd) continue;
    await clock.wait(pauseMs, signal);
    sliceEnd = clock.now() + sliceMs;
  }
}

/** Why a listed object may not be shown; `noun`: what it is one of. */
export function definitionProblem(definition: string, noun: 'tool' | 'item'): string | undefined {
  const article = noun === 'tool' ? 'a' : 'an';
  if (Buffer.byteLength(definition) > maxDefinitionBytes) return `${article} ${noun} definition is too large`;
  const scan = scanJson(definition, { maxDepth: maxDefinitionDepth });
  if (scan.kind === 'ok') return scan.rootKind === 'object' ? undefined : `${article} ${noun} is no object`;
  return scan.problem === 'duplicate_member'
    ? `${article} ${noun} definition names a member twice`
    : `${article} ${noun} definition is nested too deeply`;
}
