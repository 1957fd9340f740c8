import type Database from 'better-sqlite3';

/** Readers end within seconds: not asked more often than this. */
const againMs = 500;

/** The write-ahead log still has what was swept out of the file: it is emptied, as soon as nobody reads in it any more. */
export class SweptLog {
  #isDue = false;
  #nextAt = 0;

  constructor(
    private readonly database: Database.Database,
    /** Milliseconds of a clock that only goes forward. */
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Something was swept that the log may have. */
  soil(): void {
    this.#isDue = true;
    this.#nextAt = 0;
  }

  /** Does nothing where there is nothing to do; never waits for a reader. */
  tidy(): void {
    if (!this.#isDue || this.now() < this.#nextAt) return;
    this.#isDue = !this.#empty();
    this.#nextAt = this.now() + againMs;
  }

  /** False: somebody reads what it holds. */
  #empty(): boolean {
    const timeout = Number(this.database.pragma('busy_timeout', { simple: true }));
    try {
      this.database.pragma('busy_timeout = 0');
      return this.database.pragma('wal_checkpoint(TRUNCATE)', { simple: true }) === 0;
    } finally {
      this.database.pragma(`busy_timeout = ${timeout}`);
    }
  }
}
