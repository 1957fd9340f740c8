import type Database from 'better-sqlite3';
import type { HeadsFile } from '../chain/heads-file.js';
import { maxUncovered } from '../chain/coverage.js';
import type { Head } from '../chain/signed-head.js';
import type { LedgerError } from '../ledger-error.js';
import type { Request, Response } from '../thread/link.js';
import { writes, type Input, type Operation, type Output, type Store } from '../store.js';
import { asUnavailable } from './failure.js';
import type { ReceiptChains } from './receipts.js';

/** Most writes in one transaction: the fsync of a commit is shared by all of them. */
const maxGroup = 256;

/** How many of these the next group takes: no more receipts than may lack a head after a crash. */
export function groupSize(requests: readonly Request[]): number {
  let receipts = 0;
  const end = requests.findIndex((request, n) => {
    receipts += receiptsIn(request);
    return n === maxGroup || (n > 0 && receipts > maxUncovered);
  });
  return end === -1 ? requests.length : end;
}

/** At most; every other write leaves one receipt or none. */
function receiptsIn(request: Request): number {
  if (request.operation === 'closeOpenCalls') return request.input.limit;
  return request.operation === 'appendReceipts' ? request.input.receipts.length : 1;
}

/**
 * Runs operations in groups: all writes of a group in one transaction, each under a savepoint of its own, so that one that
 * fails takes nothing of the others with it; responses only after the commit. Reads see what is committed.
 */
export class GroupCommit {
  readonly #database: Database.Database;
  readonly #store: Store;
  readonly #chains: ReceiptChains;
  readonly #headsFile: HeadsFile | undefined;
  /** Heads of committed receipts that the file did not take yet: until it does, nothing more is written. */
  #owed: readonly Head[];
  /** Receipts, at most, whose heads a power loss may take. */
  #unsynced = 0;
  readonly #countHeads: Database.Statement<[number, number]>;

  constructor(parts: {
    database: Database.Database;
    store: Store;
    chains: ReceiptChains;
    headsFile: HeadsFile | undefined;
  }) {
    this.#database = parts.database;
    this.#store = parts.store;
    this.#chains = parts.chains;
    this.#headsFile = parts.headsFile;
    this.#owed = this.#chains.grownHeads();
    this.#countHeads = this.#database.prepare('UPDATE heads_written SET lines = ? WHERE lines < ?');
    const signs = this.#owed.length > 0;
    this.#payHeads();
    if (signs) this.#headsFile?.sync();
  }

  run(requests: readonly Request[]): readonly Response[] {
    const writing = requests.filter((request) => writes[request.operation]);
    const reading = requests.filter((request) => !writes[request.operation]);
    const written = writing.length === 0 ? [] : this.#commit(writing);
    return [...written, ...reading.map((request) => this.#read(request))];
  }

  #commit(requests: readonly Request[]): readonly Response[] {
    let responses: readonly Response[];
    try {
      this.#payHeads();
      this.#syncHeads(requests);
      this.#database.exec('BEGIN IMMEDIATE');
      const lines = this.#headsFile?.durableLines ?? 0;
      this.#countHeads.run(lines, lines);
      responses = requests.map((request) => this.#underSavepoint(request));
      this.#database.exec('COMMIT');
    } catch (error) {
      this.#rollBack();
      return requests.map((request) => failed(request, error));
    }
    this.#oweHeads();
    return responses;
  }

  #underSavepoint(request: Request): Response {
    this.#database.exec('SAVEPOINT item');
    try {
      const output = perform(this.#store, request.operation, request.input);
      this.#database.exec('RELEASE item');
      return { id: request.id, kind: 'done', output };
    } catch (error) {
      // A disk that fails one item fails them all, and SQLite may have ended the transaction on its own.
      if (asUnavailable(error) || !this.#database.inTransaction) throw error;
      this.#database.exec('ROLLBACK TO item; RELEASE item');
      return failed(request, error);
    }
  }

  #read(request: Request): Response {
    try {
      return { id: request.id, kind: 'done', output: perform(this.#store, request.operation, request.input) };
    } catch (error) {
      return failed(request, error);
    }
  }

  /** What is committed stays answered as committed even if its head cannot be written now; the next group waits for it. */
  #oweHeads(): void {
    try {
      this.#owed = this.#chains.grownHeads();
      this.#payHeads();
    } catch (error) {
      if (!asUnavailable(error)) throw error;
    }
  }

  #payHeads(): void {
    if (this.#owed.length > 0) this.#headsFile?.append(this.#owed);
    this.#owed = [];
  }

  #syncHeads(requests: readonly Request[]): void {
    const adding = requests.reduce((sum, request) => sum + receiptsIn(request), 0);
    if (this.#unsynced > 0 && this.#unsynced + adding > maxUncovered) {
      this.#headsFile?.sync();
      this.#unsynced = 0;
    }
    this.#unsynced += adding;
  }

  #rollBack(): void {
    if (this.#database.inTransaction) this.#database.exec('ROLLBACK');
  }
}

function perform<K extends Operation>(store: Store, operation: K, input: Input<K>): Output<K> {
  return store[operation](input);
}

function failed({ id }: Request, error: unknown): Response {
  const known: LedgerError | undefined = asUnavailable(error);
  if (known) return { id, kind: 'failed', cause: known.kind, message: known.message };
  return {
    id,
    kind: 'failed',
    cause: 'bug',
    message: error instanceof Error ? error.message : String(error),
  };
}
