/**
 * Receipts of one tenant that may stand after its last signed head, because the commit comes before the head: one group
 * commit (`appendReceipts` alone takes up to 512) with the heads before it that a power loss may take.
 */
export const maxUncovered = 512;

/** First receipt that no head covers although one has to; `furthest`: seq of the last signed head, 0 without any. */
export function firstUncovered(length: number, furthest: number, allowed = maxUncovered): number | undefined {
  return length > furthest + allowed ? furthest + 1 : undefined;
}
