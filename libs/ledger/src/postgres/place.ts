import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { LedgerError } from '../ledger-error.js';

/** Where a ledger in Postgres is. */
export interface PostgresPlace {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  /** Undefined: whatever the user's own is, else `public`. */
  readonly schema?: string;
  readonly sslMode: SslMode;
  /** Path of the certificates that the server's is checked against; those of Node where absent. */
  readonly rootCertificates?: string;
}

const sslModes = ['disable', 'require', 'verify-ca', 'verify-full'] as const;
type SslMode = (typeof sslModes)[number];

const known = ['sslmode', 'sslrootcert', 'search_path'];

/** Throws `unavailable` for what is no such URL; the message does not repeat it, a password may be in it. */
export function placeOf(url: string): PostgresPlace {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^postgres(ql)?:$/.test(parsed.protocol)) throw refused('it is none');
  if (parsed.password !== '') throw refused('it has a password, which is given apart');
  const user = decodeURIComponent(parsed.username);
  const database = decodeURIComponent(parsed.pathname.slice(1));
  if (user === '' || database === '' || parsed.hostname === '') {
    throw refused('it has to name user, host and database');
  }
  const unknown = [...parsed.searchParams.keys()].find((name) => !known.includes(name));
  if (unknown !== undefined) throw refused(`${unknown} is none of ${known.join(', ')}`);
  const schema = parsed.searchParams.get('search_path');
  if (schema !== null && !/^[a-z_][a-z0-9_]*$/.test(schema))
    throw refused('search_path is one name of a schema');
  const rootCertificates = parsed.searchParams.get('sslrootcert');
  return {
    host: parsed.hostname.replace(/^\[|\]$/g, ''),
    port: parsed.port === '' ? 5432 : Number(parsed.port),
    database,
    user,
    sslMode: sslModeOf(parsed),
    ...(schema === null ? {} : { schema }),
    ...(rootCertificates === null ? {} : { rootCertificates }),
  };
}

/** For messages: no password is in it. */
export function nameOf({ host, port, database, schema }: PostgresPlace): string {
  return `${host}:${port}/${database}${schema === undefined ? '' : ` (schema ${schema})`}`;
}

/** What is not on this machine is encrypted, and its name checked, unless the URL says something else. */
function sslModeOf({ searchParams, hostname }: URL): SslMode {
  const asked = searchParams.get('sslmode');
  if (asked === null) return isLoopback(hostname) ? 'disable' : 'verify-full';
  const mode = sslModes.find((each) => each === asked);
  if (mode === undefined) throw refused(`sslmode is one of ${sslModes.join(', ')}`);
  return mode;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || host.startsWith('127.');
}

/** As libpq means the modes: `require` encrypts and checks nothing. Throws what the file system says. */
export function tlsOf({ sslMode, rootCertificates }: PostgresPlace): ConnectionOptions | false {
  if (sslMode === 'disable') return false;
  const ca = rootCertificates === undefined ? {} : { ca: readFileSync(rootCertificates, 'utf8') };
  if (sslMode === 'require') return { ...ca, rejectUnauthorized: false };
  if (sslMode === 'verify-ca') return { ...ca, checkServerIdentity: () => undefined };
  return ca;
}

function refused(problem: string): LedgerError {
  const form = 'postgres://user@host:port/database?sslmode=...&search_path=...';
  return new LedgerError(
    'unavailable',
    `the URL of the ledger does not say where it is: ${problem} (${form})`,
  );
}
