/** A statement that is parsed once. Parameters take the places of `?`, or are members of one object that `@names` name. */
export interface Statement<Parameters extends readonly unknown[], Row = unknown> {
  get(...parameters: Parameters): Row | undefined;
  all(...parameters: Parameters): Row[];
  /** Rows as they are needed, of one moment. To be used up or left before the next statement, inside of `reading` or a transaction. */
  iterate(...parameters: Parameters): IterableIterator<Row>;
  /** May be sent as late as with the next statement whose answer is needed, or with the commit: only then does it throw. */
  run(...parameters: Parameters): Changes;
}

export interface Changes {
  readonly changes: number;
}

type AsList<Parameters> = Parameters extends readonly unknown[] ? Parameters : [Parameters];

/** What the operations ask of a database: SQL that SQLite and Postgres both speak, one statement after another. */
export interface SqlDatabase {
  readonly dialect: 'sqlite' | 'postgres';
  readonly inTransaction: boolean;
  prepare<Parameters = unknown[], Row = unknown>(sql: string): Statement<AsList<Parameters>, Row>;
  hasTable(name: string): boolean;
  /** A transaction that no other writer of the ledger is in at the same time. */
  begin(): void;
  /** Throws when it is not known that everything is durable. */
  commit(): void;
  rollback(): void;
  /** There is one at a time. What the database says against its statements is thrown by `release` at the latest. */
  savepoint(): void;
  release(): void;
  rollbackToSavepoint(): void;
  /** Reads one moment of what is committed. */
  reading<T>(work: () => T): T;
  close(): void;
}
