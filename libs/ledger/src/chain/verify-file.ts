import type { KeyObject } from 'node:crypto';
import { ReceiptCheckpoint, type Digest, type ReceiptVerification } from '@uar/contracts';
import Database from 'better-sqlite3';
import { KnownHeads, type HeadSources } from './known-heads.js';
import { readLines } from './lines.js';
import { canonicalText } from './receipt-hash.js';
import { checkCheckpoint } from './signed-checkpoint.js';
import { ChainWalk, beforeFirst, type ChainPlace, type FoundReceipt } from './verify-chain.js';
import { storedCheckpoints } from '../sqlite/checkpoints.js';
import { heldChains } from '../sqlite/held-chains.js';

/** Verification per tenant. */
export type Verifications = ReadonlyMap<string, ReceiptVerification>;

/**
 * Checks the chains in a ledger file, offline or beside the process that writes it (lengths are read before
 * heads and heads before chains, each with its checkpoint, so what is written or removed meanwhile looks neither uncovered nor cut). `tenant`: only that one. Throws when the file cannot be opened as a ledger.
 */
export function verifyLedgerFile(options: { file: string; tenant?: string } & HeadSources): Verifications {
  const database = new Database(options.file, { readonly: true, fileMustExist: true });
  try {
    const held = heldChains(database);
    const heads = new KnownHeads(options, held.headLines);
    return verifyHeldChains(database, {
      heads,
      publicKeys: options.publicKeys,
      ...(options.headsFile === undefined ? {} : { lengths: held.lengths }),
      ...(options.tenant === undefined ? {} : { tenant: options.tenant }),
    });
  } finally {
    database.close();
  }
}

/** `lengths`: how long the chains were when the heads were read, which have to cover them; absent: no heads are expected. */
export function verifyHeldChains(
  database: Database.Database,
  options: {
    heads: KnownHeads;
    publicKeys: readonly KeyObject[];
    lengths?: ReadonlyMap<string, number>;
    tenant?: string;
  },
): Verifications {
  const { heads, publicKeys, lengths, tenant } = options;
  const tenants = database
    .prepare<[], { tenant: string }>('SELECT DISTINCT tenant FROM receipts')
    .all()
    .map((row) => row.tenant);
  const removed = storedCheckpoints(database).keys();
  const wanted = tenant === undefined ? [...heads.tenants(), ...removed, ...tenants] : [tenant];
  // Of one moment: what is removed while others are walked stands in the checkpoint that is read with the chain.
  const walked = database.transaction((each: string, known: ReadonlyMap<number, Digest>) => {
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
 * Checks an export (NDJSON: one receipt per line, before them the checkpoint of a chain that begins after one), or several
 * of one tenant one after another, line by line. Without `headsFile` and `witnessed` only links and hashes are checked, and
 * without keys a checkpoint is taken at its word: that an export is whole, only a head can tell.
 */
export function verifyExportFile(options: { file: string; tenant?: string } & HeadSources): Verifications {
  const heads = new KnownHeads(options);
  const walks = new Map<string, { walk: ChainWalk; count: number }>();
  const linked = checkpointsIn(options);
  const walkOf = (tenant: string) => {
    const known = walks.get(tenant) ?? { walk: newWalk(tenant, heads, linked), count: 0 };
    walks.set(tenant, known);
    return known;
  };
  for (const { text } of readLines(options.file)) {
    if (text.trim() === '') continue;
    const line = exported(text);
    const known = walkOf(line.tenant);
    if (line.kind === 'receipt') known.count += Number(known.walk.step(line.receipt));
    else goOn(known.walk, line, options.publicKeys);
  }
  const wanted = options.tenant === undefined ? [...heads.tenants(), ...walks.keys()] : [options.tenant];
  return verifyEach(wanted, heads, (tenant) => {
    const { walk, count } = walkOf(tenant);
    return { walk, expected: options.headsFile === undefined || count === 0 ? 0 : walk.place.seq };
  });
}

/** A checkpoint further down names a hash too, by which the lines before it have to come. */
function newWalk(tenant: string, heads: KnownHeads, linked: readonly ReceiptCheckpoint[]): ChainWalk {
  const known = new Map(heads.of(tenant).heads);
  for (const each of linked)
    if (each.tenant === tenant && !known.has(each.through_seq)) known.set(each.through_seq, each.hash);
  return new ChainWalk({ tenant, heads: known });
}

function checkpointsIn({ file, publicKeys }: { file: string } & HeadSources): readonly ReceiptCheckpoint[] {
  const found: ReceiptCheckpoint[] = [];
  for (const { text } of readLines(file)) {
    const line = text.startsWith(checkpointStart) ? exported(text) : undefined;
    if (line?.kind !== 'checkpoint') continue;
    const { data } = ReceiptCheckpoint.safeParse(line.value);
    if (data && (publicKeys.length === 0 || checkCheckpoint(data, line.tenant, publicKeys).kind === 'holds'))
      found.push(data);
  }
  return found;
}

function goOn(
  walk: ChainWalk,
  line: { tenant: string; value: unknown },
  publicKeys: readonly KeyObject[],
): void {
  const found = checkCheckpoint(line.value, line.tenant, publicKeys);
  const { data } = ReceiptCheckpoint.safeParse(line.value);
  if (found.kind === 'broken' && (publicKeys.length > 0 || !data)) walk.breakOff(found.problem);
  else if (data) walk.goOnFrom({ seq: data.through_seq, hash: data.hash });
}

/** The receipts of one tenant as the database holds them; text that is not byte for byte the RFC 8785 form is unreadable. */
function* storedReceipts(
  database: Database.Database,
  tenant: string,
  after: number,
): Generator<FoundReceipt> {
  const rows = database
    .prepare<[string, number], { seq: number; receipt: unknown }>(
      'SELECT seq, receipt FROM receipts WHERE tenant = ? AND seq > ? ORDER BY seq',
    )
    .iterate(tenant, after);
  for (const row of rows) yield stored(row);
}

function verifyEach(
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

/** How the line of a checkpoint begins; receipts have members in alphabetical or in our order, and never this one. */
const checkpointStart = '{"checkpoint":';

type ExportLine =
  | { readonly kind: 'receipt'; readonly tenant: string; readonly receipt: FoundReceipt }
  | { readonly kind: 'checkpoint'; readonly tenant: string; readonly value: object };

function exported(text: string): ExportLine {
  const value = parseObject(text);
  const inner = value && 'checkpoint' in value ? value.checkpoint : undefined;
  if (typeof inner === 'object' && inner !== null)
    return { kind: 'checkpoint', tenant: tenantOf(inner), value: inner };
  const receipt: FoundReceipt = value
    ? { kind: 'receipt', value }
    : { kind: 'unreadable', problem: 'a line is not a JSON object' };
  return { kind: 'receipt', tenant: tenantOf(value), receipt };
}

function tenantOf(value: object | undefined): string {
  return value && 'tenant' in value && typeof value.tenant === 'string' ? value.tenant : '';
}

function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
