import type { ApprovalView } from '@uar/contracts';

/** One page of a list whose cursor is a place in it. */
export function pageOf(
  all: readonly ApprovalView[],
  { cursor, limit }: { readonly cursor: string | undefined; readonly limit: number },
): { readonly approvals: ApprovalView[]; readonly next_cursor?: string } {
  const from = Number(cursor ?? 0);
  const end = from + limit;
  return { approvals: all.slice(from, end), ...(end < all.length ? { next_cursor: String(end) } : {}) };
}
