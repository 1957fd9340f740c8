import { Client, DatabaseError, type QueryResult } from 'pg';
import type {
  ClientStart,
  Command,
  CommandFailure,
  CommandResult,
  SessionLimits,
} from './client-messages.js';
import { withNul, withoutNul } from './nul-text.js';
import { tlsOf } from '../place.js';
import { beginSession } from './session.js';

const firstDelayMs = 50;
const longestDelayMs = 1_000;
const keepAliveMs = 5_000;
const farewellMs = 500;

/** Of a prepared statement that this connection does not know, though it ought to. */
const unknownStatement = '26000';

const booleanType = 16;
/** int2, int4, int8: places and milliseconds, far below 2^53. */
const numberTypes = [20, 21, 23];

function parserOf(type: number): (text: string) => unknown {
  if (type === booleanType) return (text) => text === 't';
  return numberTypes.includes(type) ? Number : withNul;
}

/** One connection, made anew when it is next needed; not at once again where that has just failed. */
export class Connection {
  #start: ClientStart;
  #client: Client | undefined;
  #connecting: Client | undefined;
  /** Of a clock that is never set. */
  #retryAt = 0;
  #delayMs = 0;
  #lastProblem: unknown;

  constructor(start: ClientStart) {
    this.#start = start;
  }

  /** All of them in their order, sent at once; throws what the first that fails says. */
  async run(commands: readonly Command[], continues: boolean): Promise<readonly CommandResult[]> {
    const client = continues ? this.#client : (this.#client ?? (await this.#connect()));
    if (client === undefined) throw new Error('the connection was lost in the middle of a transaction');
    const sent = await Promise.allSettled(commands.map((command) => client.query(queryOf(command))));
    const failed = sent.find((each) => each.status === 'rejected');
    if (failed === undefined)
      return sent.flatMap((each) => (each.status === 'fulfilled' ? resultOf(each.value) : []));
    if (isOver(failed.reason)) this.giveUp();
    throw failed.reason;
  }

  failureOf(error: unknown): CommandFailure {
    const message = error instanceof Error ? error.message : String(error);
    const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
    return { message, ...(code === undefined ? {} : { code }), isLost: this.#client === undefined };
  }

  /** For connections that are made from now on: the present one ends when it has answered. */
  setLimits(limits: SessionLimits): void {
    this.#start = { ...this.#start, limits };
    void this.close();
    this.#client = undefined;
  }

  /** Ends what waits for an answer. */
  giveUp(): void {
    for (const client of [this.#client, this.#connecting]) if (client) destroy(client);
    this.#client = undefined;
  }

  /** In order, unless the server does not take it. */
  async close(): Promise<void> {
    const client = this.#client;
    if (client === undefined) return;
    const late = setTimeout(() => destroy(client), farewellMs);
    await client.end().catch(() => undefined);
    clearTimeout(late);
  }

  async #connect(): Promise<Client> {
    if (performance.now() < this.#retryAt) throw this.#lastProblem;
    const client = newClient(this.#start);
    const lost = (): void => {
      if (this.#client === client) this.#client = undefined;
    };
    client.on('error', lost).on('end', lost);
    this.#connecting = client;
    try {
      await client.connect();
      await beginSession(client, this.#start.place, this.#start.limits);
      this.#delayMs = 0;
      this.#client = client;
      return client;
    } catch (error) {
      destroy(client);
      this.#delayMs = Math.min(longestDelayMs, Math.max(firstDelayMs, this.#delayMs * 2));
      this.#retryAt = performance.now() + this.#delayMs;
      this.#lastProblem = error;
      throw error;
    } finally {
      this.#connecting = undefined;
    }
  }
}

function newClient({ place, password, limits }: ClientStart): Client {
  const { host, port, database, user } = place;
  return new Client({
    host,
    port,
    database,
    user,
    // As a function, so that none is looked for in files and environment.
    password: () => password ?? '',
    ssl: tlsOf(place),
    application_name: 'uar-ledger',
    connectionTimeoutMillis: limits.connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    pipeline: true,
    types: { getTypeParser: parserOf },
  });
}

function destroy(client: Client): void {
  client.connection.stream.destroy();
}

function queryOf({ text, name, values }: Command) {
  if (values === undefined) return { text };
  const sent = values.map((value) => (typeof value === 'string' ? withoutNul(value) : value));
  return { text, values: sent, ...(name === undefined ? {} : { name }) };
}

/** Of several statements in one text there are several: the last of them counts. */
function resultOf(answer: QueryResult | readonly QueryResult[]): CommandResult[] {
  const last = 'rows' in answer ? answer : answer.at(-1);
  return last === undefined ? [] : [{ rows: last.rows, changes: last.rowCount ?? 0, did: last.command }];
}

function isOver(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return true;
  return error.severity === 'FATAL' || error.severity === 'PANIC' || error.code === unknownStatement;
}
