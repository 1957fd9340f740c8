import type { PostgresPlace } from '@uar/postgres-url';
import type { Client } from 'pg';
import { RefusedConnection } from './refused-connection.js';
import type { SessionLimits } from './client-messages.js';

const oldestServer = 13;

interface Session {
  readonly schema: string | null;
  readonly fsync: string;
  readonly full_page_writes: string;
  readonly encoding: string;
  readonly version: number;
  readonly is_standby: boolean;
}

/**
 * Makes a new connection one that the ledger can rely on, or throws `RefusedConnection` saying what is wrong with the server:
 * a commit that was answered has to survive a power loss, and no wait may be without end.
 */
export async function beginSession(
  client: Client,
  place: PostgresPlace,
  limits: SessionLimits,
): Promise<void> {
  const settings = Object.entries(settingsOf(place, limits));
  const names = settings.map((_, n) => `set_config($${2 * n + 1}, $${2 * n + 2}, false)`);
  await client.query(`SELECT ${names.join()}`, settings.flat());
  const { rows } = await client.query<Session>(
    `SELECT current_schema() AS schema, current_setting('fsync') AS fsync,
       current_setting('full_page_writes') AS full_page_writes, current_setting('server_encoding') AS encoding,
       current_setting('server_version_num')::int / 10000 AS version, pg_is_in_recovery() AS is_standby,
       set_config('synchronous_commit',
         CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, false)`,
  );
  const problem = rows[0] && problemOf(rows[0], place);
  if (problem !== undefined) throw new RefusedConnection(problem);
}

function settingsOf({ schema }: PostgresPlace, limits: SessionLimits): Record<string, string> {
  return {
    statement_timeout: `${limits.statementMs}ms`,
    lock_timeout: `${limits.lockMs}ms`,
    idle_in_transaction_session_timeout: `${limits.idleInTransactionMs}ms`,
    // For a client that is frozen while the server writes to it.
    tcp_user_timeout: `${limits.idleInTransactionMs}ms`,
    ...(schema === undefined ? {} : { search_path: schema }),
  };
}

function problemOf(found: Session, { schema }: PostgresPlace): string | undefined {
  const { fsync, full_page_writes, encoding, version, is_standby } = found;
  if (version < oldestServer)
    return `the server is Postgres ${version}; it has to be ${oldestServer} or later`;
  if (encoding !== 'UTF8') return `the database is encoded as ${encoding}; it has to be UTF8`;
  if (fsync !== 'on') return 'the server runs with fsync = off and forgets what it answered; set it on';
  if (full_page_writes !== 'on') return 'the server runs with full_page_writes = off; set it on';
  if (is_standby) return 'the server is a standby, which cannot be written; name the primary';
  if (found.schema === null) {
    return `there is no schema ${schema ?? 'for this user'}; create it (CREATE SCHEMA), or name another with search_path`;
  }
  return undefined;
}
