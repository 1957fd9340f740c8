import { Receipt, genesisHash, type Digest, type ReceiptVerification } from '@uar/contracts';
import { firstUncovered } from './coverage.js';
import { receiptHash } from './receipt-hash.js';

/** What is to be checked: receipts of one tenant as they were found, in order, and what heads say about them. */
export interface ChainClaim extends WalkOptions, Ending {
  /** `unreadable`: something stands there that is no receipt. */
  readonly receipts: Iterable<FoundReceipt>;
}

interface WalkOptions {
  readonly tenant: string;
  /** seq -> hash, from heads whose signatures hold. */
  readonly heads: ReadonlyMap<number, Digest>;
  /** Place of a signed checkpoint that the chain begins after. */
  readonly start?: ChainPlace;
}

interface Ending {
  /** Why the heads themselves cannot be relied on. */
  readonly headProblem?: string;
  /** So many receipts were there when the heads were read, which therefore have to cover them. Absent: no heads are expected. */
  readonly expected?: number;
}

export type FoundReceipt =
  | { readonly kind: 'receipt'; readonly value: unknown }
  | { readonly kind: 'unreadable'; readonly problem: string };

/** A receipt in its chain; seq 0 is before the first. */
export interface ChainPlace {
  readonly seq: number;
  readonly hash: Digest;
}

export const beforeFirst: ChainPlace = { seq: 0, hash: genesisHash };

/**
 * Walks one chain from its first receipt, or from a checkpoint: each link's place, its tie to the one before, its own hash,
 * every signed head that names it; at the end, that the chain reaches the last signed head and the heads cover the chain. Stops at the first link that does not hold.
 */
export function verifyChain(claim: ChainClaim): ReceiptVerification {
  const walk = new ChainWalk(claim);
  for (const found of claim.receipts) if (!walk.step(found)) break;
  return walk.end(claim);
}

/** One chain, walked link by link: it keeps nothing of what it has passed. */
export class ChainWalk {
  readonly #tenant: string;
  readonly #heads: Map<number, Digest>;
  #last: ChainPlace;
  #from: number;
  #broken: { readonly at: number; readonly problem: string } | undefined;

  constructor({ tenant, heads, start }: WalkOptions) {
    this.#tenant = tenant;
    this.#heads = new Map(heads);
    this.#last = start ?? beforeFirst;
    this.#from = this.#last.seq + 1;
    if (start) this.#checkHead(start);
  }

  /** The last link that holds. */
  get place(): ChainPlace {
    return this.#last;
  }

  /** False once the chain is broken. */
  step(found: FoundReceipt): boolean {
    if (this.#broken) return false;
    const next = checkLink(found, this.#last, this.#tenant);
    if (typeof next === 'string') return this.breakOff(next);
    if (!this.#checkHead(next)) return false;
    this.#last = { seq: next.seq, hash: next.hash };
    return true;
  }

  /**
   * Goes on from a signed checkpoint: at its start, or again from a place that was passed, as when a later export is read
   * after an earlier one; the second walk has to come by the end of the first.
   */
  goOnFrom(place: ChainPlace): boolean {
    if (this.#broken) return false;
    if (this.#last.seq === 0) this.#from = place.seq + 1;
    else if (place.seq > this.#last.seq)
      return this.breakOff(`a checkpoint of ${place.seq} stands where ${this.#last.seq + 1} belongs`);
    else this.#heads.set(this.#last.seq, this.#last.hash);
    this.#last = place;
    return this.#checkHead(place);
  }

  breakOff(problem: string, at = this.#last.seq + 1): false {
    this.#broken ??= { at, problem };
    return false;
  }

  end({ headProblem, expected = 0 }: Ending): ReceiptVerification {
    const furthest = furthestHead(this.#heads);
    const { seq } = this.#last;
    if (furthest > seq) this.breakOff(`the chain ends at ${seq}, a signed head names receipt ${furthest}`);
    const uncovered = uncoveredFrom(expected, furthest);
    if (uncovered !== undefined) {
      const none = furthest === 0 ? 'no signed head names this chain' : `the last signed head is ${furthest}`;
      this.breakOff(headProblem ?? `${none}, receipts ${uncovered} and later are not covered`, uncovered);
    }
    const walked = {
      length: seq,
      head: this.#last.hash,
      ...(this.#from === 1 ? {} : { walked_from: this.#from }),
    };
    if (this.#broken) {
      const { at, problem } = this.#broken;
      return { ok: false, ...walked, broken_at: at, problem };
    }
    if (headProblem !== undefined) return { ok: false, ...walked, problem: headProblem };
    return { ok: true, ...walked };
  }

  #checkHead({ seq, hash }: ChainPlace): boolean {
    const signed = this.#heads.get(seq);
    if (signed === undefined || signed === hash) return true;
    return this.breakOff('a signed head names another hash for this receipt', seq);
  }
}

function uncoveredFrom(expected: number, furthest: number): number | undefined {
  return expected > 0 && furthest === 0 ? 1 : firstUncovered(expected, furthest);
}

/** The receipt, if it follows `last`; else why it does not. */
export function checkLink(found: FoundReceipt, last: ChainPlace, tenant: string): Receipt | string {
  if (found.kind === 'unreadable') return found.problem;
  const parsed = Receipt.safeParse(found.value);
  if (!parsed.success) return 'not a receipt';
  const { hash, ...unhashed } = parsed.data;
  if (unhashed.tenant !== tenant) return `a receipt of tenant ${unhashed.tenant}`;
  if (unhashed.seq !== last.seq + 1) return `receipt ${unhashed.seq} stands where ${last.seq + 1} belongs`;
  if (unhashed.prev_hash !== last.hash) return 'prev_hash is not the hash of the receipt before';
  if (receiptHash(unhashed) !== hash) return 'the hash is not that of the receipt';
  return parsed.data;
}

function furthestHead(heads: ReadonlyMap<number, Digest>): number {
  let furthest = 0;
  for (const seq of heads.keys()) furthest = Math.max(furthest, seq);
  return furthest;
}
