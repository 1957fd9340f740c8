import { existsSync, statSync } from 'node:fs';
import type { KeyObject } from 'node:crypto';
import { LedgerError } from '../ledger-error.js';
import { firstUncovered, maxUncovered } from './coverage.js';
import { parseHead } from './known-heads.js';
import { readLines } from './lines.js';
import { checkCheckpoint } from './signed-checkpoint.js';
import { createHeadCheck, type SignedHead } from './signed-head.js';

/** What the ledger holds, to be compared with the heads that were signed for it. */
export interface HeldChains {
  /** Tenant -> seq of its last receipt. */
  readonly lengths: ReadonlyMap<string, number>;
  /** Lines the heads file is known to have had. */
  readonly headLines: number;
  hashAt(tenant: string, seq: number): string | undefined;
  /** What stands for removed receipts, unchecked. */
  readonly checkpoints: ReadonlyMap<string, unknown>;
}

/** The signed heads of a ledger, wherever they stand. */
export interface FoundHeads {
  /** For messages. */
  readonly name: string;
  readonly wayOut: string;
  /** How the end of a chain gets lost, for messages: `as when ...`. */
  readonly lostEnd: string;
  readonly lines: number;
  /** Tenant -> its last head. */
  readonly last: ReadonlyMap<string, SignedHead>;
  /** Receipts that may stand after the last head. */
  readonly maxUncovered: number;
}

/** Throws `corrupt` rather than let a chain be signed that the heads signed so far do not vouch for. */
export function checkSignedHeads(
  heads: FoundHeads,
  publicKeys: readonly KeyObject[],
  held: HeldChains,
): void {
  const { lines, last, maxUncovered } = heads;
  if (lines < held.headLines) throw refused(heads, `it has ${lines} lines of ${held.headLines} written`);
  const removed = removedThrough(heads, publicKeys, held);
  const check = createHeadCheck(publicKeys);
  for (const head of last.values()) {
    const problem = check(head);
    if (problem !== undefined) throw refused(heads, `tenant ${head.tenant}: ${problem}`);
    // The signed checkpoint vouches for what is removed, and for the hash at its end.
    if (head.seq <= (removed.get(head.tenant) ?? 0)) continue;
    if (held.hashAt(head.tenant, head.seq) !== head.hash)
      throw refused(heads, notContained(head, held, heads));
  }
  for (const [tenant, length] of held.lengths) {
    const missing = firstUncovered(length, last.get(tenant)?.seq ?? 0, maxUncovered);
    if (missing !== undefined) {
      throw refused(heads, `no signed head covers receipts ${missing} to ${length} of tenant ${tenant}`);
    }
  }
}

function removedThrough(
  heads: FoundHeads,
  publicKeys: readonly KeyObject[],
  { checkpoints }: HeldChains,
): ReadonlyMap<string, number> {
  const removed = new Map<string, number>();
  for (const [tenant, value] of checkpoints) {
    const found = checkCheckpoint(value, tenant, publicKeys);
    if (found.kind === 'broken') throw refused(heads, `tenant ${tenant}: ${found.problem}`);
    removed.set(tenant, found.checkpoint.through_seq);
  }
  return removed;
}

function notContained({ tenant, seq }: SignedHead, held: HeldChains, { lostEnd }: FoundHeads): string {
  const length = held.lengths.get(tenant) ?? 0;
  if (length >= seq) return `the chain of tenant ${tenant} does not contain its signed head ${seq}`;
  return `the chain of tenant ${tenant} ends at ${length} and does not contain its signed head ${seq}: its end is missing, ${lostEnd}`;
}

function refused({ name, wayOut }: FoundHeads, problem: string): LedgerError {
  return new LedgerError(
    'corrupt',
    `the ledger does not fit its signed heads in ${name}: ${problem}. ${wayOut}.`,
  );
}

export function headsInFile(path: string): FoundHeads {
  const wayOut =
    'Restore the heads file (and ledger) that belong together (uar ledger restore <backup>), or move both aside to start a new ledger';
  const lostEnd = 'as when the -wal file beside the ledger is lost or an older copy was put in';
  return { name: path, wayOut, lostEnd, maxUncovered, ...lastHeads(path) };
}

function lastHeads(path: string): { lines: number; last: Map<string, SignedHead> } {
  const last = new Map<string, SignedHead>();
  let lines = 0;
  if (!existsSync(path) || !statSync(path).isFile()) return { lines, last };
  for (const { text, whole } of readLines(path)) {
    if (!whole) continue;
    lines += 1;
    const head = parseHead(text);
    if (head && head.seq >= (last.get(head.tenant)?.seq ?? 0)) last.set(head.tenant, head);
  }
  return { lines, last };
}
