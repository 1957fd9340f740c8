import { LedgerError } from '../ledger-error.js';

/** A ledger in a server is copied with the server's own tools: what they copy of one database is of one moment. */
export function copiedByServer(what: 'backed up' | 'restored'): LedgerError {
  const tool = what === 'backed up' ? 'pg_dump --format=custom' : 'pg_restore, into an empty schema';
  return new LedgerError(
    'unavailable',
    `a ledger in Postgres is ${what} with ${tool}; then uar ledger check says whether it is whole (docs/ledger.md).`,
  );
}
