import { isIPv4 } from 'node:net';

/** Where a database in Postgres is. */
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

/** `problem` goes on after "the URL": "names port 0". It repeats nothing that was written, a password may be in it. */
export type ReadPostgresUrl =
  | { readonly kind: 'place'; readonly place: PostgresPlace }
  | { readonly kind: 'holds_password'; readonly problem: string }
  | { readonly kind: 'bad'; readonly problem: string };

const sslModes = ['disable', 'require', 'verify-ca', 'verify-full'] as const;
type SslMode = (typeof sslModes)[number];

const known = ['sslmode', 'sslrootcert', 'search_path'];
const form = 'postgres://user@host:5432/database';

/** Reads `postgres://user@host:port/database?sslmode=...&sslrootcert=...&search_path=...`; nothing in it is passed over. */
export function readPostgresUrl(text: string): ReadPostgresUrl {
  if (!URL.canParse(text)) return bad(`is no URL such as ${form}`);
  const url = new URL(text);
  if (url.password !== '' || url.searchParams.has('password'))
    return { kind: 'holds_password', problem: 'holds a password' };
  if (!/^postgres(ql)?:$/.test(url.protocol)) return bad(`is no URL such as ${form}`);
  const user = decoded(url.username);
  const database = decoded(url.pathname.slice(1));
  if (user === undefined || database === undefined) return bad('is not percent-encoded as text is');
  const problem = authorityProblem(url) ?? queryProblem(url);
  if (problem !== undefined) return bad(problem);
  const { searchParams, hostname, port } = url;
  const host = hostname.replace(/^\[|\]$/g, '');
  const schema = searchParams.get('search_path');
  const rootCertificates = searchParams.get('sslrootcert');
  const place = {
    host,
    port: port === '' ? 5432 : Number(port),
    database,
    user,
    sslMode: sslModeOf(searchParams) ?? (isLoopback(host) ? 'disable' : 'verify-full'),
    ...(schema === null ? {} : { schema }),
    ...(rootCertificates === null ? {} : { rootCertificates }),
  };
  return { kind: 'place', place };
}

/** A NUL would end the text on its way to the server, and begin another setting. */
function decoded(text: string): string | undefined {
  try {
    const plain = decodeURIComponent(text);
    return plain.includes('\0') ? undefined : plain;
  } catch {
    return undefined;
  }
}

function authorityProblem({ username, hostname, port, pathname }: URL): string | undefined {
  if (username === '' || hostname === '' || !/^\/[^/]+$/.test(pathname))
    return `has to name user, host and database, as in ${form}`;
  if (!/^([\w.-]+|\[.*\])$/.test(hostname)) return 'names a host that is no name and no address';
  return port === '0' ? 'names port 0' : undefined;
}

function queryProblem({ searchParams, hash }: URL): string | undefined {
  const names = [...searchParams.keys()];
  if (hash !== '' || names.some((name) => !known.includes(name)))
    return `may have ${known.join(', ')} after the database and nothing else`;
  const twice = known.find((name) => searchParams.getAll(name).length > 1);
  if (twice !== undefined) return `has ${twice} more than once`;
  const schema = searchParams.get('search_path');
  if (schema !== null && !/^[a-z_][a-z0-9_]*$/.test(schema))
    return 'has a search_path that is not one name of a schema';
  if (searchParams.get('sslrootcert') === '') return 'has an sslrootcert that names no file';
  return searchParams.has('sslmode') && sslModeOf(searchParams) === undefined
    ? `has an sslmode that is none of ${sslModes.join(', ')}`
    : undefined;
}

function sslModeOf(parameters: URLSearchParams): SslMode | undefined {
  const asked = parameters.get('sslmode');
  return sslModes.find((mode) => mode === asked);
}

/** What is not on this machine is encrypted, and its name checked, unless the URL says something else. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}

function bad(problem: string): ReadPostgresUrl {
  return { kind: 'bad', problem };
}
