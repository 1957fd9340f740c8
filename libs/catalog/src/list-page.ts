import { listPageBytes, type AnswerOf, type AskOf, type hosts } from '@uar/contracts';

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

/** Room for what a page has besides its texts: its digest, the reason why the list is not whole. */
const roomBesideBytes = 4 * 1024;

/**
 * One page of a list for the registry (`hosts.*.listTools`). `start` counts the definitions first and the duplicates behind
 * them. A text too long for any page stands alone on one: a list is always walked to its end.
 */
export function listPage(list: HostList, from?: AskOf<ListTools>['from']): ListPage {
  if (from !== undefined && from.list_digest !== list.digest) return { kind: 'stale' };
  const { digest, definitions, duplicates, incomplete } = list;
  const start = from?.start ?? 0;
  const count = definitions.length + duplicates.length;
  const textAt = (index: number) => definitions[index] ?? duplicates[index - definitions.length] ?? '';
  let end = start;
  for (let bytes = roomBesideBytes; end < count; end += 1) {
    bytes += Buffer.byteLength(JSON.stringify(textAt(end))) + 1;
    if (bytes > listPageBytes && end > start) break;
  }
  const behind = (index: number) => Math.max(0, index - definitions.length);
  return {
    kind: 'listed',
    list_digest: digest,
    definitions: definitions.slice(start, end),
    duplicates: duplicates.slice(behind(start), behind(end)),
    ...(incomplete === undefined ? {} : { incomplete }),
    ...(end < count ? { next: end } : {}),
  };
}
