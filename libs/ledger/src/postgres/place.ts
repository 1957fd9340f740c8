import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { readPostgresUrl, type PostgresPlace } from '@uar/postgres-url';
import { LedgerError } from '../ledger-error.js';

/** Throws `unavailable` for what is no such URL; the message does not repeat it, a password may be in it. */
export function placeOf(url: string): PostgresPlace {
  const read = readPostgresUrl(url);
  if (read.kind === 'place') return read.place;
  throw new LedgerError('unavailable', `the URL of the ledger ${read.problem}`);
}

/** For messages: no password is in it. */
export function nameOf({ host, port, database, schema }: PostgresPlace): string {
  return `${host}:${port}/${database}${schema === undefined ? '' : ` (schema ${schema})`}`;
}

/** As libpq means the modes: `require` encrypts and checks nothing. Throws what the file system says. */
export function tlsOf({ sslMode, rootCertificates }: PostgresPlace): ConnectionOptions | false {
  if (sslMode === 'disable') return false;
  const ca = rootCertificates === undefined ? {} : { ca: readFileSync(rootCertificates, 'utf8') };
  if (sslMode === 'require') return { ...ca, rejectUnauthorized: false };
  if (sslMode === 'verify-ca') return { ...ca, checkServerIdentity: () => undefined };
  return ca;
}
