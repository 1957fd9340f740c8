import type { ReceiptVerification } from '@uar/contracts';
import Database from 'better-sqlite3';
import { KnownHeads, type HeadSources } from './known-heads.js';
import { readLines } from './lines.js';
import { canonicalText } from './receipt-hash.js';
import { verifyChain, type FoundReceipt } from './verify-chain.js';
import { heldChains } from '../sqlite/held-chains.js';

/** Verification per tenant. */
export type Verifications = ReadonlyMap<string, ReceiptVerification>;

/**
 * Checks the chains in a ledger file, offline or beside the process that writes it (lengths are read before
 * heads and heads before chains, so what is written meanwhile looks neither uncovered nor cut). `tenant`: only that one. Throws when the file cannot be opened as a ledger.
 */
export function verifyLedgerFile(options: { file: string; tenant?: string } & HeadSources): Verifications {
  const database = new Database(options.file, { readonly: true, fileMustExist: true });
  try {
    const held = heldChains(database);
    const heads = new KnownHeads(options, held.headLines);
    return verifyHeldChains(database, {
      heads,
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
  { heads, lengths, tenant }: { heads: KnownHeads; lengths?: ReadonlyMap<string, number>; tenant?: string },
): Verifications {
  const tenants = database
    .prepare<[], { tenant: string }>('SELECT DISTINCT tenant FROM receipts')
    .all()
    .map((row) => row.tenant);
  const wanted = tenant === undefined ? [...heads.tenants(), ...tenants] : [tenant];
  return verifyAll(wanted, heads, {
    receipts: (each) => storedReceipts(database, each),
    expected: (each) => lengths?.get(each) ?? 0,
  });
}

/**
 * Checks an export (one receipt per line, NDJSON). Without `headsFile` and `witnessed` only links and hashes are checked:
 * that an export is whole, only a head can tell.
 */
export function verifyExportFile(options: { file: string; tenant?: string } & HeadSources): Verifications {
  const heads = new KnownHeads(options);
  const found = new Map<string, FoundReceipt[]>();
  for (const { text } of readLines(options.file)) {
    if (text.trim() === '') continue;
    const { tenant, receipt } = exported(text);
    const chain = found.get(tenant);
    if (chain) chain.push(receipt);
    else found.set(tenant, [receipt]);
  }
  const wanted = options.tenant === undefined ? [...heads.tenants(), ...found.keys()] : [options.tenant];
  const receipts = (tenant: string) => found.get(tenant) ?? [];
  const expected = (tenant: string) => (options.headsFile === undefined ? 0 : receipts(tenant).length);
  return verifyAll(wanted, heads, { receipts, expected });
}

/** The receipts of one tenant as the database holds them; text that is not byte for byte the RFC 8785 form is unreadable. */
function* storedReceipts(database: Database.Database, tenant: string): Generator<FoundReceipt> {
  const rows = database
    .prepare<[string], { seq: number; receipt: unknown }>(
      'SELECT seq, receipt FROM receipts WHERE tenant = ? ORDER BY seq',
    )
    .iterate(tenant);
  for (const row of rows) yield stored(row);
}

function verifyAll(
  tenants: readonly string[],
  heads: KnownHeads,
  chain: { receipts(tenant: string): Iterable<FoundReceipt>; expected(tenant: string): number },
): Verifications {
  const verifications = new Map<string, ReceiptVerification>();
  for (const tenant of [...new Set(tenants)].sort()) {
    const known = heads.of(tenant);
    const claim = {
      tenant,
      receipts: chain.receipts(tenant),
      heads: known.heads,
      expected: chain.expected(tenant),
    };
    verifications.set(
      tenant,
      verifyChain(known.problem === undefined ? claim : { ...claim, headProblem: known.problem }),
    );
  }
  return verifications;
}

function stored(row: { seq: number; receipt: unknown }): FoundReceipt {
  const value = typeof row.receipt === 'string' ? parseObject(row.receipt) : undefined;
  if (value === undefined) return { kind: 'unreadable', problem: 'not a JSON object' };
  if (canonicalText(value) !== row.receipt)
    return { kind: 'unreadable', problem: 'the stored text was changed' };
  if (!('seq' in value) || value.seq !== row.seq)
    return { kind: 'unreadable', problem: 'stored under another number than its own' };
  return { kind: 'receipt', value };
}

function exported(text: string): { tenant: string; receipt: FoundReceipt } {
  const value = parseObject(text);
  const tenant = value && 'tenant' in value && typeof value.tenant === 'string' ? value.tenant : '';
  const receipt: FoundReceipt = value
    ? { kind: 'receipt', value }
    : { kind: 'unreadable', problem: 'a line is not a JSON object' };
  return { tenant, receipt };
}

function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
