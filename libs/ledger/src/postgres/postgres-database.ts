import { LedgerError } from '../ledger-error.js';
import type { Changes, SqlDatabase, Statement } from '../sql/database.js';
import type { Command, CommandResult, SessionLimits } from './client/client-messages.js';
import { errorOf } from './failure.js';
import { nameOf } from './place.js';
import { numbered } from './placeholders.js';
import { SyncClient, type ClientOptions } from './client/sync-client.js';

/** One group of writes at a time over all replicas: what is right with one writer stays right. Apart for each schema. */
const beginGroup = 'BEGIN; SELECT pg_advisory_xact_lock(7696754, hashtext(current_schema()))';
const beginReading = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';

/** Rows that a cursor is first asked for, and at most. */
const firstRows = 8;
const mostRows = 512;

type Row = Readonly<Record<string, unknown>>;

/** A statement that nobody has needed the answer of yet. */
interface Waiting {
  readonly command: Command;
  result?: CommandResult;
}

/** Keeps back what needs no answer, and sends it with the next statement that does: what costs is the way there and back. */
export class PostgresDatabase implements SqlDatabase {
  readonly dialect = 'postgres';
  readonly name: string;
  readonly #client: SyncClient;
  readonly #named = new Map<string, string>();
  #waiting: Waiting[] = [];
  #inTransaction = false;
  /** The server knows of the transaction. */
  #hasBegun = false;
  #cursors = 0;

  constructor(options: ClientOptions) {
    this.name = nameOf(options.place);
    this.#client = new SyncClient(options);
  }

  get inTransaction(): boolean {
    return this.#inTransaction;
  }

  prepare<Parameters = unknown[], Found = unknown>(
    sql: string,
  ): Statement<Parameters extends readonly unknown[] ? Parameters : [Parameters], Found> {
    const { text, valuesOf } = numbered(sql);
    const name = this.#named.get(text) ?? `s${this.#named.size + 1}`;
    this.#named.set(text, name);
    const all = (parameters: readonly unknown[]): Found[] =>
      // What the caller says of its own statement; of the columns themselves nobody else knows.
      this.#ask({ text, name, values: valuesOf(parameters) }).rows as unknown as Found[];
    return {
      get: (...parameters) => all(parameters)[0],
      all: (...parameters) => all(parameters),
      iterate: (...parameters) =>
        this.#iterate({ text, values: valuesOf(parameters) }) as unknown as IterableIterator<Found>,
      run: (...parameters) => this.#later({ text, name, values: valuesOf(parameters) }),
    };
  }

  hasTable(name: string): boolean {
    // By the table of tables, for it is read anew each time: names looked up otherwise may be remembered from before a wait.
    const text = 'SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = $1';
    return this.#ask({ text, values: [name] }).rows.length > 0;
  }

  /** Several statements without parameters, at once. */
  exec(text: string): void {
    this.#ask({ text });
  }

  begin(): void {
    this.#start(beginGroup);
  }

  commit(): void {
    const { did } = this.#ask({ text: 'COMMIT' });
    this.#end();
    if (did !== 'COMMIT')
      throw new LedgerError('unavailable', `the ledger at ${this.name} took a commit back`);
  }

  rollback(): void {
    if (!this.#inTransaction) return;
    const hasBegun = this.#hasBegun;
    this.#waiting = [];
    try {
      if (hasBegun) this.#ask({ text: 'ROLLBACK' });
    } catch (error) {
      // The transaction ends with its connection too; whoever takes it back has a better reason to tell.
      if (!(error instanceof LedgerError)) throw error;
    } finally {
      this.#end();
    }
  }

  savepoint(): void {
    this.#ask({ text: 'SAVEPOINT item' });
  }

  release(): void {
    this.#ask({ text: 'RELEASE item' });
  }

  rollbackToSavepoint(): void {
    this.#waiting = [];
    this.#ask({ text: 'ROLLBACK TO item; RELEASE item' });
  }

  reading<T>(work: () => T): T {
    if (this.#inTransaction) return work();
    this.#start(beginReading);
    try {
      const read = work();
      this.#endReading();
      return read;
    } catch (error) {
      this.rollback();
      throw error;
    }
  }

  /** From now on, on another connection. */
  setLimits(limits: SessionLimits): void {
    this.#client.setLimits(limits);
  }

  close(): void {
    this.#client.close();
  }

  #start(text: string): void {
    this.#waiting = [{ command: { text } }];
    this.#inTransaction = true;
    this.#hasBegun = false;
  }

  #end(): void {
    this.#waiting = [];
    this.#inTransaction = false;
    this.#hasBegun = false;
  }

  /** Nobody waits for the end of what has only read. */
  #endReading(): void {
    if (this.#hasBegun)
      this.#client.post([...this.#waiting.map(({ command }) => command), { text: 'COMMIT' }]);
    this.#end();
  }

  #later(command: Command): Changes {
    const waiting: Waiting = { command };
    this.#waiting.push(waiting);
    if (!this.#inTransaction) this.#flush();
    const flush = (): void => this.#flush();
    return {
      get changes() {
        if (waiting.result === undefined) flush();
        return waiting.result?.changes ?? 0;
      },
    };
  }

  #ask(command: Command): CommandResult {
    const asked: Waiting = { command };
    this.#waiting.push(asked);
    this.#flush();
    if (asked.result === undefined) throw new Error('a statement has no result');
    return asked.result;
  }

  #flush(): void {
    const sent = this.#waiting;
    this.#waiting = [];
    if (sent.length === 0) return;
    const answer = this.#client.run(
      sent.map(({ command }) => command),
      this.#hasBegun,
    );
    this.#hasBegun = this.#inTransaction;
    if ('isLost' in answer) {
      if (answer.isLost) this.#end();
      throw errorOf(answer, this.name);
    }
    for (const [n, result] of answer.entries()) {
      const waiting = sent[n];
      if (waiting !== undefined) waiting.result = result;
    }
  }

  *#iterate(command: Command): Generator<Row> {
    const cursor = `rows_${(this.#cursors += 1)}`;
    this.#later({ ...command, text: `DECLARE ${cursor} NO SCROLL CURSOR FOR ${command.text}` });
    for (let count = firstRows; ; count = Math.min(mostRows, count * 2)) {
      const { rows } = this.#ask({ text: `FETCH FORWARD ${count} FROM ${cursor}` });
      yield* rows;
      if (rows.length < count) return;
    }
  }
}
