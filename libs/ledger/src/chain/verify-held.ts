import type { KeyObject } from 'node:crypto';
import type { Digest, ReceiptVerification } from '@uar/contracts';
import type { KnownHeads } from './known-heads.js';
import { canonicalText } from './receipt-hash.js';
import { checkCheckpoint } from './signed-checkpoint.js';
import { ChainWalk, beforeFirst, type ChainPlace, type FoundReceipt } from './verify-chain.js';
import { storedCheckpoints } from '../operations/checkpoints.js';
import { heldChains } from '../operations/held-chains.js';
import { columnsOf, receiptColumns, type ReceiptColumns } from '../operations/receipt-columns.js';
import type { SqlDatabase } from '../sql/database.js';

/** Verification per tenant. */
export type Verifications = ReadonlyMap<string, ReceiptVerification>;

/** `lengths`: how long the chains were when the heads were read, which have to cover them; absent: no heads are expected. */
export function verifyHeldChains(
  database: SqlDatabase,
  options: {
    heads: KnownHeads;
    publicKeys: readonly KeyObject[];
    lengths?: ReadonlyMap<string, number>;
    tenant?: string;
  },
): Verifications {
  const { heads, publicKeys, lengths, tenant } = options;
  const removed = storedCheckpoints(database).keys();
  const wanted =
    tenant === undefined
      ? [...heads.tenants(), ...removed, ...heldChains(database).lengths.keys()]
      : [tenant];
  // Of one moment: what is removed while others are walked stands in the checkpoint that is read with the chain.
  const walked = (each: string, known: ReadonlyMap<number, Digest>) =>
    database.reading(() => {
      const checkpoints = storedCheckpoints(database, each);
      const start = checkpoints.has(each) ? startAt(checkpoints.get(each), each, publicKeys) : beforeFirst;
      const walk = new ChainWalk({
        tenant: each,
        heads: known,
        start: typeof start === 'string' ? beforeFirst : start,
      });
      if (typeof start === 'string') walk.breakOff(start);
      else for (const found of storedReceipts(database, each, start.seq)) if (!walk.step(found)) break;
      return { walk, expected: lengths?.get(each) ?? 0 };
    });
  return verifyEach(wanted, heads, walked);
}

function startAt(value: unknown, tenant: string, publicKeys: readonly KeyObject[]): ChainPlace | string {
  const found = checkCheckpoint(value, tenant, publicKeys);
  if (found.kind === 'broken') return found.problem;
  return { seq: found.checkpoint.through_seq, hash: found.checkpoint.hash };
}

/**
 * The receipts of one tenant as the database holds them; text that is not byte for byte the RFC 8785 form is unreadable,
 * and one that is found by what it does not say.
 */
function* storedReceipts(database: SqlDatabase, tenant: string, after: number): Generator<FoundReceipt> {
  // Those of SQLite cannot be written.
  const columns = database.dialect === 'sqlite' ? [] : receiptColumns;
  const rows = database
    .prepare<[string, number], { seq: number; receipt: unknown } & Partial<ReceiptColumns>>(
      `SELECT ${['seq', 'receipt', ...columns].join()} FROM receipts WHERE tenant = ? AND seq > ? ORDER BY seq`,
    )
    .iterate(tenant, after);
  for (const row of rows) {
    const found = stored(row);
    const said = found.kind === 'receipt' ? columnsOf(Object(found.value)) : undefined;
    const altered = columns.find((name) => said !== undefined && row[name] !== said[name]);
    yield altered === undefined
      ? found
      : { kind: 'unreadable', problem: `its column ${altered} says something else` };
  }
}

export function verifyEach(
  tenants: readonly string[],
  heads: KnownHeads,
  walked: (tenant: string, known: ReadonlyMap<number, Digest>) => { walk: ChainWalk; expected: number },
): Verifications {
  const verifications = new Map<string, ReceiptVerification>();
  for (const tenant of [...new Set(tenants)].sort()) {
    const { heads: known, problem } = heads.of(tenant);
    const { walk, expected } = walked(tenant, known);
    verifications.set(
      tenant,
      walk.end({ expected, ...(problem === undefined ? {} : { headProblem: problem }) }),
    );
  }
  return verifications;
}

/** A row of the table as a walk takes it. */
export function stored(row: { seq: number; receipt: unknown }): FoundReceipt {
  const value = typeof row.receipt === 'string' ? parseObject(row.receipt) : undefined;
  if (value === undefined) return { kind: 'unreadable', problem: 'not a JSON object' };
  if (canonicalText(value) !== row.receipt)
    return { kind: 'unreadable', problem: 'the stored text was changed' };
  if (!('seq' in value) || value.seq !== row.seq)
    return { kind: 'unreadable', problem: 'stored under another number than its own' };
  return { kind: 'receipt', value };
}

export function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
