import { listPageBytes, type AnswerOf, type AskOf, type hosts, type listItems } from '@uar/contracts';

/** What a host offers of one server. */
export interface HostList {
  readonly digest: string;
  /** MCP tool objects as JSON text, in the host's order. */
  readonly definitions: readonly string[];
  readonly duplicates: readonly string[];
  readonly incomplete?: string | undefined;
}

type ListTools = typeof hosts.mcp.listTools;
export type ListPage = Exclude<AnswerOf<ListTools>, { kind: 'not_owner' }>;
export type ItemPage = Extract<AnswerOf<typeof listItems>, { kind: 'listed' | 'stale' }>;

/** Room for what a page has besides its texts: its digest, the reason why the list is not whole. */
const roomBesideBytes = 4 * 1024;

/**
 * One page of a list for the registry (`hosts.*.listTools`). `start` counts the definitions first and the duplicates behind
 * them. A text too long for any page stands alone on one: a list is always walked to its end.
 */
export function listPage(list: HostList, from?: AskOf<ListTools>['from']): ListPage {
  if (from !== undefined && from.list_digest !== list.digest) return { kind: 'stale' };
  const { digest, definitions, duplicates, incomplete } = list;
  const { start, end, next } = cut([...definitions, ...duplicates], from?.start);
  const behind = (index: number) => Math.max(0, index - definitions.length);
  return {
    kind: 'listed',
    list_digest: digest,
    definitions: definitions.slice(start, end),
    duplicates: duplicates.slice(behind(start), behind(end)),
    ...(incomplete === undefined ? {} : { incomplete }),
    ...next,
  };
}

/** The same of a list of resources, templates or prompts (`listItems`). */
export function itemPage(
  { digest, definitions }: Pick<HostList, 'digest' | 'definitions'>,
  from?: AskOf<typeof listItems>['from'],
): ItemPage {
  if (from !== undefined && from.list_digest !== digest) return { kind: 'stale' };
  const { start, end, next } = cut(definitions, from?.start);
  return { kind: 'listed', list_digest: digest, definitions: definitions.slice(start, end), ...next };
}

/** Which texts, from `start` on, fit on one page. */
function cut(
  texts: readonly string[],
  start = 0,
): { readonly start: number; readonly end: number; readonly next: { readonly next?: number } } {
  let end = start;
  for (let bytes = roomBesideBytes; end < texts.length; end += 1) {
    bytes += Buffer.byteLength(JSON.stringify(texts[end])) + 1;
    if (bytes > listPageBytes && end > start) break;
  }
  return { start, end, next: end < texts.length ? { next: end } : {} };
}
