import { genesisHash, type AppendedReceipt, type Receipt, type ReceiptBody, TenantId } from '@uar/contracts';
import type { SqlDatabase } from '../sql/database.js';
import { linkReceipt, type LinkedReceipt } from '../chain/receipt-hash.js';
import type { Head } from '../chain/signed-head.js';
import type { ChainPlace } from '../chain/verify-chain.js';
import type { Store } from '../store.js';
import { checkpointRows } from './checkpoints.js';
import { heldChains } from './held-chains.js';
import { columnsOf, receiptColumns } from './receipt-columns.js';
import { writtenOutcomes } from './written-outcomes.js';

export interface ReceiptChains extends Pick<Store, 'appendReceipts' | 'listReceipts' | 'readReceipt'> {
  /** At the end of its tenant's chain, inside the transaction that is open. An outcome ends its call. */
  append(body: ReceiptBody): AppendedReceipt;
  hasEnded(tenant: string, callId: string): boolean;
  /** Ends of the chains that grew in this transaction, or in the one that was just committed. */
  grownHeads(): readonly Head[];
  allHeads(): readonly Head[];
  /** Looks up at once what appending these asks for. */
  foresee(bodies: readonly ReceiptBody[]): void;
  /** A transaction begins: others may have written, and what the last one did not commit is not there. */
  begin(): void;
  /** What the transaction wrote last is taken back. */
  takeBack(): void;
}

type Query = Parameters<Store['listReceipts']>[0];

export function receiptChains(database: SqlDatabase): ReceiptChains {
  const insert = insertion(database);
  const { end, grew, ...ends } = chainEnds(database);
  const outcomes = writtenOutcomes(database);
  const outcomeOf = outcomes.of;
  const written = ({ kind, tenant, call_id: callId }: ReceiptBody): Receipt | undefined =>
    kind === 'admin' || callId === undefined ? undefined : outcomeOf(tenant, callId);

  const endCall = database.prepare<[string, string]>(
    'DELETE FROM open_calls WHERE tenant = ? AND call_id = ?',
  );

  const append = (body: ReceiptBody): AppendedReceipt => {
    const earlier = written(body);
    if (body.kind === 'outcome' && body.call_id !== undefined) endCall.run(body.tenant, body.call_id);
    if (earlier !== undefined) return placeOf(earlier, body);
    const before = end(body.tenant);
    const linked = linkReceipt(body, { seq: (before?.seq ?? 0) + 1, prevHash: before?.hash ?? genesisHash });
    const { seq, hash } = linked.receipt;
    insert(linked);
    grew(body.tenant, { seq, hash });
    outcomes.wrote(linked.receipt);
    return { seq, hash };
  };
  return {
    append,
    hasEnded: (tenant, callId) => outcomeOf(tenant, callId) !== undefined,
    appendReceipts: ({ receipts }) => receipts.map(append),
    ...readingOf(database),
    ...ends,
    foresee: outcomes.foresee,
    begin: () => {
      ends.begin();
      outcomes.forget();
    },
    takeBack: () => {
      ends.takeBack();
      outcomes.forget();
    },
  };
}

type Ends = Pick<ReceiptChains, 'grownHeads' | 'allHeads' | 'begin' | 'takeBack'>;

/** Where chains end, asked for once in a transaction. */
function chainEnds(database: SqlDatabase): Ends & {
  end(tenant: string): ChainPlace | undefined;
  grew(tenant: TenantId, to: ChainPlace): void;
} {
  const last = database.prepare<[string], { receipt: string }>(
    'SELECT receipt FROM receipts WHERE tenant = ? ORDER BY seq DESC LIMIT 1',
  );
  const known = new Map<string, ChainPlace | undefined>();
  /** With the numbers they ended at before: what grew may have been taken back. */
  const grown = new Map<TenantId, number>();
  const end = (tenant: string): ChainPlace | undefined => {
    if (!known.has(tenant)) known.set(tenant, parse(last.get(tenant)));
    return known.get(tenant);
  };
  return {
    end,
    grew: (tenant, to) => {
      known.set(tenant, to);
      if (!grown.has(tenant)) grown.set(tenant, to.seq - 1);
    },
    grownHeads: () => {
      const heads = [...grown].flatMap(([tenant, before]) =>
        headOf(tenant, end(tenant)).filter(({ seq }) => seq > before),
      );
      grown.clear();
      return heads;
    },
    allHeads: () =>
      [...heldChains(database).lengths.keys()].flatMap((tenant) =>
        headOf(TenantId.parse(tenant), end(tenant)),
      ),
    begin: () => {
      known.clear();
      grown.clear();
    },
    takeBack: () => known.clear(),
  };
}

/** SQLite reads the columns out of the text by itself. Postgres cannot: there are texts of JSON that it does not take apart. */
function insertion(database: SqlDatabase): (linked: LinkedReceipt) => void {
  if (database.dialect === 'sqlite') {
    const insert = database.prepare<[string, number, string]>(
      'INSERT INTO receipts (tenant, seq, receipt) VALUES (?, ?, ?)',
    );
    return ({ receipt, text }) => void insert.run(receipt.tenant, receipt.seq, text);
  }
  const names = ['tenant', 'seq', 'receipt', ...receiptColumns];
  const insert = database.prepare(
    `INSERT INTO receipts (${names.join()}) VALUES (${names.map((name) => `@${name}`).join()})`,
  );
  return ({ receipt, text }) => {
    const { tenant, seq } = receipt;
    insert.run({ tenant, seq, receipt: text, ...columnsOf(receipt) });
  };
}

/** What retention has removed is not there, swept or not. */
function readingOf(database: SqlDatabase): Pick<ReceiptChains, 'listReceipts' | 'readReceipt'> {
  const checkpoints = checkpointRows(database);
  const find = database.prepare<[string, number], { receipt: string }>(
    'SELECT receipt FROM receipts WHERE tenant = ? AND seq = ?',
  );
  return {
    listReceipts: (query) => {
      const checkpoint = checkpoints.of(query.tenant);
      const after = Math.max(query.after, checkpoint?.through_seq ?? 0);
      const page = listReceipts(database, { ...query, after });
      return checkpoint ? { ...page, checkpoint } : page;
    },
    readReceipt: ({ tenant, seq }) => {
      const through = checkpoints.of(tenant)?.through_seq ?? 0;
      if (seq <= through) return { kind: 'truncated', through_seq: through };
      const receipt = parse(find.get(tenant, seq));
      return receipt ? { kind: 'found', receipt } : { kind: 'not_found' };
    },
  };
}

function placeOf({ seq, hash, outcome }: Receipt, body: ReceiptBody): AppendedReceipt {
  return body.kind === 'outcome' && outcome === body.outcome ? { seq, hash } : { seq, hash, refused: true };
}

function headOf(tenant: TenantId, end: ChainPlace | undefined): Head[] {
  return end ? [{ tenant, seq: end.seq, hash: end.hash, at: new Date().toISOString() }] : [];
}

function parse(row: { receipt: string } | undefined): Receipt | undefined {
  return row && JSON.parse(row.receipt);
}

function listReceipts(database: SqlDatabase, query: Query): { receipts: Receipt[]; next?: number } {
  const { limit } = query;
  const { where, values } = conditions(query);
  const rows = database
    .prepare<unknown[], { receipt: string }>(
      `SELECT receipt FROM receipts WHERE ${where.join(' AND ')} ORDER BY seq LIMIT @more`,
    )
    .all({ ...values, more: limit + 1 });
  const receipts: Receipt[] = rows.slice(0, limit).map((row) => JSON.parse(row.receipt));
  const next = rows.length > limit ? receipts.at(-1)?.seq : undefined;
  return next === undefined ? { receipts } : { receipts, next };
}

function conditions(query: Query): { where: string[]; values: Record<string, string | number> } {
  const where = ['tenant = @tenant', 'seq > @after'];
  const values: Record<string, string | number> = { tenant: query.tenant, after: query.after };
  if (query.tool !== undefined) {
    where.push(`@tool IN (raw_name, server || '/' || raw_name, server || '__' || raw_name)`);
    values['tool'] = query.tool;
  }
  if (query.outcome !== undefined) {
    where.push('outcome = @outcome');
    values['outcome'] = query.outcome;
  }
  if (query.principal !== undefined) {
    where.push('principal = @principal');
    values['principal'] = query.principal;
  }
  if (query.since !== undefined) {
    where.push('at >= @since');
    values['since'] = new Date(query.since).toISOString();
  }
  return { where, values };
}
