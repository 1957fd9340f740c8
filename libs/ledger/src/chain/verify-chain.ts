import { Receipt, genesisHash, type Digest, type ReceiptVerification } from '@uar/contracts';
import { firstUncovered } from './coverage.js';
import { receiptHash } from './receipt-hash.js';

/** What is to be checked: receipts of one tenant as they were found, in order, and what heads say about them. */
export interface ChainClaim {
  readonly tenant: string;
  /** `unreadable`: something stands there that is no receipt. */
  readonly receipts: Iterable<FoundReceipt>;
  /** seq -> hash, from heads whose signatures hold. */
  readonly heads: ReadonlyMap<number, Digest>;
  /** Why the heads themselves cannot be relied on. */
  readonly headProblem?: string;
  /** So many receipts were there when the heads were read, which therefore have to cover them. Absent: no heads are expected. */
  readonly expected?: number;
}

export type FoundReceipt =
  | { readonly kind: 'receipt'; readonly value: unknown }
  | { readonly kind: 'unreadable'; readonly problem: string };

interface Link {
  readonly seq: number;
  readonly hash: Digest;
}

/**
 * Walks one chain from its first receipt: each link's place, its tie to the one before, its own hash, every signed head that
 * names it; at the end, that the chain reaches the last signed head and the heads cover the chain. Stops at the first link that does not hold.
 */
export function verifyChain(claim: ChainClaim): ReceiptVerification {
  let last: Link = { seq: 0, hash: genesisHash };
  for (const found of claim.receipts) {
    const next = checkLink(found, last, claim);
    if (typeof next === 'string') return broken(last, last.seq + 1, next);
    last = next;
  }
  const furthest = furthestHead(claim.heads);
  if (furthest > last.seq) {
    return broken(
      last,
      last.seq + 1,
      `the chain ends at ${last.seq}, a signed head names receipt ${furthest}`,
    );
  }
  const uncovered = uncoveredFrom(claim.expected ?? 0, furthest);
  if (uncovered !== undefined) {
    const none = furthest === 0 ? 'no signed head names this chain' : `the last signed head is ${furthest}`;
    return broken(
      last,
      uncovered,
      claim.headProblem ?? `${none}, receipts ${uncovered} and later are not covered`,
    );
  }
  if (claim.headProblem !== undefined) {
    return { ok: false, length: last.seq, head: last.hash, problem: claim.headProblem };
  }
  return { ok: true, length: last.seq, head: last.hash };
}

function uncoveredFrom(expected: number, furthest: number): number | undefined {
  return expected > 0 && furthest === 0 ? 1 : firstUncovered(expected, furthest);
}

function checkLink(found: FoundReceipt, last: Link, claim: ChainClaim): Link | string {
  if (found.kind === 'unreadable') return found.problem;
  const parsed = Receipt.safeParse(found.value);
  if (!parsed.success) return 'not a receipt';
  const { hash, ...unhashed } = parsed.data;
  if (unhashed.tenant !== claim.tenant) return `a receipt of tenant ${unhashed.tenant}`;
  if (unhashed.seq !== last.seq + 1) return `receipt ${unhashed.seq} stands where ${last.seq + 1} belongs`;
  if (unhashed.prev_hash !== last.hash) return 'prev_hash is not the hash of the receipt before';
  if (receiptHash(unhashed) !== hash) return 'the hash is not that of the receipt';
  const signed = claim.heads.get(unhashed.seq);
  if (signed !== undefined && signed !== hash) return 'a signed head names another hash for this receipt';
  return { seq: unhashed.seq, hash };
}

function furthestHead(heads: ReadonlyMap<number, Digest>): number {
  let furthest = 0;
  for (const seq of heads.keys()) furthest = Math.max(furthest, seq);
  return furthest;
}

function broken(last: Link, brokenAt: number, problem: string): ReceiptVerification {
  return { ok: false, length: last.seq, head: last.hash, broken_at: brokenAt, problem };
}
