import { existsSync } from 'node:fs';
import type { SignedHead } from '../chain/signed-head.js';
import { heldChains } from '../operations/held-chains.js';
import { sqliteDriver } from '../sqlite/sqlite-driver.js';
import { withLedger } from './ledger-copy.js';

/** Receipts of one tenant that are known here, and that a backup does not have. */
export interface LostTail {
  readonly tenant: string;
  readonly from: number;
  readonly through: number;
  readonly count: number;
}

interface Here {
  readonly file: string;
  /** Signed heads that are known here. */
  readonly heads: readonly SignedHead[];
}

/** What a backup has. */
interface There {
  lengthOf(tenant: string): number;
  /** Receipts up to this one were removed by retention: what their hashes were, it does not say. */
  removedThrough(tenant: string): number;
  hashAt(tenant: string, seq: number): string | undefined;
}

/**
 * Compares what is known here, by signed heads and by the ledger itself where it can still be read, with a backup. A head
 * that the backup's chain contradicts means two histories: then all after the last head that both share is lost.
 */
export function lostTails(here: Here, backup: There): readonly LostTail[] {
  const ends = readableLengths(here.file);
  const tenants = new Set([...ends.keys(), ...here.heads.map(({ tenant }) => tenant)]);
  return [...tenants].sort().flatMap((tenant) => {
    const heads = here.heads.filter((head) => head.tenant === tenant);
    const isForked = heads.some(
      ({ seq, hash }) =>
        seq > backup.removedThrough(tenant) &&
        seq <= backup.lengthOf(tenant) &&
        backup.hashAt(tenant, seq) !== hash,
    );
    const through = Math.max(ends.get(tenant) ?? 0, lastOf(heads));
    const shared = isForked ? lastShared(heads, backup) : backup.lengthOf(tenant);
    return through > shared ? [{ tenant, from: shared + 1, through, count: through - shared }] : [];
  });
}

function lastShared(heads: readonly SignedHead[], backup: There): number {
  return lastOf(heads.filter(({ tenant, seq, hash }) => backup.hashAt(tenant, seq) === hash));
}

function lastOf(heads: readonly SignedHead[]): number {
  return heads.reduce((last, { seq }) => Math.max(last, seq), 0);
}

/** Of a ledger that is damaged, or gone, the heads alone tell. */
function readableLengths(file: string): ReadonlyMap<string, number> {
  if (!existsSync(file)) return new Map();
  try {
    return withLedger(file, (database) => heldChains(sqliteDriver(database)).lengths);
  } catch {
    return new Map();
  }
}
