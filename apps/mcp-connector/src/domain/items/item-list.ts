import { createHash } from 'node:crypto';
import { itemId } from '@uar/catalog';
import type { ItemListName } from '@uar/contracts';
import { definitionProblem, maxEntries, walkList, type WalkOptions } from '../lists/list-walk.js';

/** Resources, templates or prompts of an upstream, in its order: its own texts, each id once. */
export interface ItemList {
  readonly definitions: readonly string[];
  readonly digest: string;
}

export type ReadItems =
  { readonly kind: 'list'; readonly list: ItemList } | { readonly kind: 'failed'; readonly message: string };

/** Most bytes of texts in one list. */
const mostBytes = 16 * 1024 * 1024;

/** Walks all pages of one list. What cannot be shown or asked for is left out, as is what is beyond the bounds. */
export async function readItemList(
  options: Pick<WalkOptions, 'upstream' | 'clock' | 'signal'> & { readonly list: ItemListName },
): Promise<ReadItems> {
  const ids = new Set<string>();
  const definitions: string[] = [];
  const content = createHash('sha256');
  let bytes = 0;
  const isFull = (): boolean => ids.size >= maxEntries || bytes >= mostBytes;
  const take = (definition: string): void => {
    if (isFull() || definitionProblem(definition, 'item') !== undefined) return;
    const id = itemId(definition, options.list);
    if (id === undefined || ids.has(id)) return;
    ids.add(id);
    definitions.push(definition);
    bytes += Buffer.byteLength(definition);
    // No JSON text that was scanned has a NUL.
    content.update(definition).update('\0');
  };
  const full = (): string | undefined => (isFull() ? 'the list is too long' : undefined);
  const walked = await walkList({ ...options, take, full });
  if (walked.kind === 'failed') return walked;
  return { kind: 'list', list: { definitions, digest: content.digest('hex') } };
}
