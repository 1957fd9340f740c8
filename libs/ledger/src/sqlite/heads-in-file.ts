import type { HeadsFile } from '../chain/heads-file.js';
import { maxUncovered } from '../chain/coverage.js';
import type { Head } from '../chain/signed-head.js';
import { asUnavailable } from '../failure.js';
import type { HeadsBook } from '../operations/group-commit.js';
import type { ReceiptChains } from '../operations/receipts.js';
import type { SqlDatabase, Statement } from '../sql/database.js';

/** Heads in a file beside the ledger: each after the commit that it covers, and counted with the next. */
export class HeadsInFile implements HeadsBook {
  readonly #chains: ReceiptChains;
  readonly #file: HeadsFile | undefined;
  /** Heads of committed receipts that the file did not take yet: until it does, nothing more is written. */
  #owed: readonly Head[];
  /** Receipts, at most, whose heads a power loss may take. */
  #unsynced = 0;
  readonly #count: Statement<[number, number]>;

  /** Signs what a crash left without a head. */
  constructor(parts: { database: SqlDatabase; chains: ReceiptChains; file: HeadsFile | undefined }) {
    this.#chains = parts.chains;
    this.#file = parts.file;
    this.#count = parts.database.prepare('UPDATE heads_written SET lines = ? WHERE lines < ?');
    this.#owed = this.#chains.allHeads();
    const signs = this.#owed.length > 0;
    this.#pay();
    if (signs) this.#file?.sync();
  }

  before(receipts: number): void {
    this.#pay();
    if (this.#unsynced > 0 && this.#unsynced + receipts > maxUncovered) {
      this.#file?.sync();
      this.#unsynced = 0;
    }
    this.#unsynced += receipts;
  }

  within(): void {
    const lines = this.#file?.durableLines ?? 0;
    this.#count.run(lines, lines);
  }

  /** What is committed stays answered as committed even if its head cannot be written now; the next group waits for it. */
  after(): void {
    try {
      this.#owed = this.#chains.grownHeads();
      this.#pay();
    } catch (error) {
      if (!asUnavailable(error)) throw error;
    }
  }

  #pay(): void {
    if (this.#owed.length > 0) this.#file?.append(this.#owed);
    this.#owed = [];
  }
}
