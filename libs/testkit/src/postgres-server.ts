import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  accessSync,
  chownSync,
  constants,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { newInstanceId } from '@uar/bus';
import { Client } from 'pg';
import { postgresProcesses, signalPostgres, untilEnded } from './postgres-processes.js';

export interface PostgresDatabase {
  /** Without the password. */
  readonly url: string;
  readonly password: string;
}

export interface PostgresServer {
  readonly port: number;
  /** A new, empty one, owned by the server's superuser `uar`. */
  createDatabase(): Promise<PostgresDatabase>;
  /** SIGKILL to every process of the server at once; the data stays. */
  kill(): Promise<void>;
  /** Stops it in order, where it runs, and starts it on the same port; `settings` as in postgresql.conf. */
  restart(settings?: Readonly<Record<string, string>>): Promise<void>;
  /** SIGSTOP: every connection stays open and nothing answers. */
  freeze(): void;
  thaw(): void;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}

interface Cluster {
  readonly bin: string;
  readonly folder: string;
  readonly data: string;
  readonly port: number;
  readonly password: string;
  readonly owner: Owner;
}

/** Of the processes: Postgres refuses to run as root. */
type Owner = { readonly uid: number; readonly gid: number } | undefined;

/**
 * Ends the server and removes its folder when its input ends: so nothing is left of a test process, however it dies.
 * Its arguments: data folder, folder. A server that is ended in order, if only just, gives its shared memory back.
 */
const guardScript = `
cat >/dev/null
main=$(head -n 1 "$1/postmaster.pid" 2>/dev/null)
if [ -n "$main" ]; then
  all="$main $(ps -A -o pid= -o ppid= | awk -v main="$main" '$2 == main { print $1 }')"
  kill -QUIT "$main" 2>/dev/null
  kill -CONT $all 2>/dev/null
  for n in 1 2 3 4 5 6 7 8 9 10; do
    [ -e "$1/postmaster.pid" ] || break
    sleep 0.2
  done
  kill -KILL $all 2>/dev/null
fi
rm -rf "$2" || { sleep 1; rm -rf "$2"; }
`;

/** `UAR_POSTGRES_BIN`, else the first folder with the programs in PATH and the usual places. */
export function findPostgres(): string | undefined {
  const named = process.env['UAR_POSTGRES_BIN'];
  const hasServer = (folder: string): boolean => ['postgres', 'initdb', 'pg_ctl'].every(isIn(folder));
  if (named !== undefined && named !== '') return hasServer(named) ? named : undefined;
  return [...(process.env['PATH'] ?? '').split(delimiter), ...packagedFolders()].find(hasServer);
}

function isIn(folder: string): (program: string) => boolean {
  return (program) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  };
}

function packagedFolders(): string[] {
  const parent = '/usr/lib/postgresql';
  try {
    const versions = readdirSync(parent).sort((a, b) => Number(b) - Number(a));
    return versions.map((version) => join(parent, version, 'bin'));
  } catch {
    return [];
  }
}

/** A real Postgres on loopback with data of its own, and password authentication. */
export async function startPostgres(): Promise<PostgresServer> {
  const bin = findPostgres();
  if (bin === undefined) throw new Error('no Postgres found: install one or set UAR_POSTGRES_BIN');
  const folder = mkdtempSync(join(tmpdir(), 'uar-postgres-'));
  const owner = unprivileged();
  if (owner) chownSync(folder, owner.uid, owner.gid);
  const password = `pw${newInstanceId()}`;
  const data = join(folder, 'data');
  const cluster = { bin, folder, data, port: await freePort(), password, owner };
  const guard = startGuard(cluster);
  try {
    makeCluster(cluster);
    start(cluster);
  } catch (error) {
    await ended(guard);
    throw error;
  }
  return serverOf(cluster, guard);
}

function serverOf(cluster: Cluster, guard: ChildProcess): PostgresServer {
  let databases = 0;
  return {
    port: cluster.port,
    createDatabase: async () => {
      databases += 1;
      const name = `test_${databases}`;
      await createDatabase(cluster, name);
      return { url: `postgres://uar@127.0.0.1:${cluster.port}/${name}`, password: cluster.password };
    },
    kill: async () => {
      await untilEnded(signalPostgres(cluster.data, 'SIGKILL'));
      // Names a process that the next server would take for a live one, for as long as nobody has waited for it.
      rmSync(join(cluster.data, 'postmaster.pid'), { force: true });
    },
    restart: async (settings) => {
      const pids = postgresProcesses(cluster.data);
      if (pids.length > 0) run(cluster, 'pg_ctl', ['stop', '-D', cluster.data, '-m', 'fast']);
      await untilEnded(pids);
      start(cluster, settings);
    },
    freeze: () => void signalPostgres(cluster.data, 'SIGSTOP'),
    thaw: () => void signalPostgres(cluster.data, 'SIGCONT'),
    stop: () => ended(guard),
  };
}

function makeCluster(cluster: Cluster): void {
  const file = join(cluster.folder, 'password');
  writeFileSync(file, cluster.password, { mode: 0o600 });
  if (cluster.owner) chownSync(file, cluster.owner.uid, cluster.owner.gid);
  const login = ['-U', 'uar', '-A', 'scram-sha-256', `--pwfile=${file}`];
  run(cluster, 'initdb', ['-D', cluster.data, '-E', 'UTF8', '--no-locale', '-N', ...login]);
}

function start(cluster: Cluster, settings: Readonly<Record<string, string>> = {}): void {
  const all = {
    listen_addresses: '127.0.0.1',
    port: String(cluster.port),
    unix_socket_directories: '',
    ...settings,
  };
  const options = Object.entries(all).map(([name, value]) => `-c ${name}='${value}'`);
  const log = join(cluster.folder, 'log');
  run(cluster, 'pg_ctl', ['start', '-w', '-D', cluster.data, '-l', log, '-o', options.join(' ')]);
}

function run({ bin, folder, owner }: Cluster, program: string, args: readonly string[]): void {
  const env = { PATH: process.env['PATH'] ?? '', LC_ALL: 'C' };
  // A server that is started keeps what it inherits open, so nobody may wait for the end of its output.
  const done = spawnSync(join(bin, program), args, { ...owner, env, cwd: folder, stdio: 'ignore' });
  if (done.status === 0) return;
  throw new Error(`${program} ended with ${done.status ?? done.error?.message}: ${logOf(folder)}`);
}

function logOf(folder: string): string {
  try {
    return readFileSync(join(folder, 'log'), 'utf8');
  } catch {
    return 'no log';
  }
}

function startGuard({ data, folder }: Cluster): ChildProcess {
  const guard = spawn('sh', ['-c', guardScript, 'guard', data, folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // A signal to the group of the test process is not for it.
    detached: true,
  });
  guard.unref();
  return guard;
}

async function ended(guard: ChildProcess): Promise<void> {
  const exited = once(guard, 'exit');
  guard.ref();
  guard.stdin?.end();
  await exited;
}

async function createDatabase({ port, password }: Cluster, name: string): Promise<void> {
  const client = new Client({ host: '127.0.0.1', port, user: 'uar', password, database: 'postgres' });
  await client.connect();
  try {
    await client.query(`CREATE DATABASE ${name}`);
  } finally {
    await client.end();
  }
}

function unprivileged(): Owner {
  if (process.getuid?.() !== 0) return undefined;
  for (const user of ['postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map((of) =>
      spawnSync('id', [of, user], { encoding: 'utf8' }).stdout.trim(),
    );
    if (uid && gid) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error('root cannot run Postgres, and there is neither a user postgres nor nobody');
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
