import type { ReceiptBody } from '@uar/contracts';
import { maxUncovered } from '../chain/coverage.js';
import type { LedgerError } from '../ledger-error.js';
import type { SqlDatabase } from '../sql/database.js';
import type { Request, Response } from '../thread/link.js';
import { writes, type Input, type Operation, type Output, type Store } from '../store.js';
import { asUnavailable } from '../failure.js';
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

function receiptsAsked(request: Request): readonly ReceiptBody[] {
  if (request.operation === 'writeIntent') return [request.input.receipt];
  return request.operation === 'appendReceipts' ? request.input.receipts : [];
}

/** Where the ends of the chains that a group made longer are signed. */
export interface HeadsBook {
  /** Before a group that adds at most so many receipts; throws what keeps it from being written. */
  before(receipts: number): void;
  /** In its transaction, after its writes. */
  within(): void;
  /** After its commit; may not throw what is bad luck. */
  after(): void;
}

type RunOne = (request: Request) => Response;

/**
 * Runs operations in groups: all writes of a group in one transaction; responses only after the commit. Where one fails,
 * the group is run again, each under a savepoint of its own, so that it takes nothing of the others with it. Reads see what
 * is committed.
 */
export class GroupCommit {
  readonly #database: SqlDatabase;
  readonly #store: Store;
  readonly #chains: ReceiptChains;
  readonly #heads: HeadsBook;

  constructor(parts: { database: SqlDatabase; store: Store; chains: ReceiptChains; heads: HeadsBook }) {
    this.#database = parts.database;
    this.#store = parts.store;
    this.#chains = parts.chains;
    this.#heads = parts.heads;
  }

  run(requests: readonly Request[]): readonly Response[] {
    const writing = requests.filter((request) => writes[request.operation]);
    const reading = requests.filter((request) => !writes[request.operation]);
    const written = writing.length === 0 ? [] : this.#commit(writing);
    return [...written, ...reading.map((request) => this.#read(request))];
  }

  #commit(requests: readonly Request[]): readonly Response[] {
    try {
      this.#heads.before(requests.reduce((sum, request) => sum + receiptsIn(request), 0));
      return this.#together(requests);
    } catch (error) {
      return requests.map((request) => failed(request, error));
    }
  }

  #together(requests: readonly Request[]): readonly Response[] {
    try {
      return this.#inTransaction(requests, (request) => done(this.#store, request));
    } catch (error) {
      // What fails one item fails them all, or there is no other.
      if (asUnavailable(error) || requests.length === 1) throw error;
      return this.#inTransaction(requests, (request) => this.#underSavepoint(request));
    }
  }

  #inTransaction(requests: readonly Request[], runOne: RunOne): readonly Response[] {
    let responses: readonly Response[];
    this.#chains.begin();
    try {
      this.#database.begin();
      this.#chains.foresee(requests.flatMap(receiptsAsked));
      responses = requests.map(runOne);
      this.#heads.within();
      this.#database.commit();
    } catch (error) {
      this.#database.rollback();
      throw error;
    }
    this.#heads.after();
    return responses;
  }

  #underSavepoint(request: Request): Response {
    this.#database.savepoint();
    try {
      const response = done(this.#store, request);
      this.#database.release();
      return response;
    } catch (error) {
      // A disk that fails one item fails them all, and the database may have ended the transaction on its own.
      if (asUnavailable(error) || !this.#database.inTransaction) throw error;
      this.#database.rollbackToSavepoint();
      this.#chains.takeBack();
      return failed(request, error);
    }
  }

  #read(request: Request): Response {
    try {
      return this.#database.reading(() => done(this.#store, request));
    } catch (error) {
      return failed(request, error);
    }
  }
}

function done(store: Store, { id, operation, input }: Request): Response {
  return { id, kind: 'done', output: perform(store, operation, input) };
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
