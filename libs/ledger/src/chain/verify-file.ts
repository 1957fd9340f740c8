import type { KeyObject } from 'node:crypto';
import { ReceiptCheckpoint } from '@uar/contracts';
import Database from 'better-sqlite3';
import { parseObject, verifyEach, verifyHeldChains, type Verifications } from './verify-held.js';
import { KnownHeads, type HeadSources } from './known-heads.js';
import { readLines } from './lines.js';
import { checkCheckpoint } from './signed-checkpoint.js';
import { ChainWalk, type FoundReceipt } from './verify-chain.js';
import { heldChains } from '../operations/held-chains.js';
import { sqliteDriver } from '../sqlite/sqlite-driver.js';

export type FileVerification = { readonly file: string; readonly tenant?: string } & HeadSources;

/**
 * Checks the chains in a ledger file, offline or beside the process that writes it (lengths are read before
 * heads and heads before chains, each with its checkpoint, so what is written or removed meanwhile looks neither uncovered nor cut). `tenant`: only that one. Throws when the file cannot be opened as a ledger.
 */
export function verifyLedgerFile(options: FileVerification): Verifications {
  const database = new Database(options.file, { readonly: true, fileMustExist: true });
  try {
    const sql = sqliteDriver(database);
    const held = heldChains(sql);
    const heads = new KnownHeads(options, held.headLines);
    return verifyHeldChains(sql, {
      heads,
      publicKeys: options.publicKeys,
      ...(options.headsFile === undefined ? {} : { lengths: held.lengths }),
      ...(options.tenant === undefined ? {} : { tenant: options.tenant }),
    });
  } finally {
    database.close();
  }
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
