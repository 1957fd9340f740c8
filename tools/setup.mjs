// What has to be in place before anything runs: dependencies, native modules for this Node, and a build of the sources.
// Says one line for each thing it does and none for what it finds done.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
const stampFile = join(root, 'node_modules', '.cache', 'uar', 'setup.json');
const lowest = [20, 19];

/** Throws `SetupFailed` when something cannot be put in place. */
export async function setUp({ say }) {
  checkNode();
  const stamp = readStamp();
  await install(stamp, say);
  await rebuildNative(stamp, say);
  await build(stamp, say);
}

export class SetupFailed extends Error {}

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > lowest[0] || (major === lowest[0] && minor >= lowest[1])) return;
  throw new SetupFailed(`Node ${lowest.join('.')} or later is needed, this is ${process.versions.node}`);
}

async function install(stamp, say) {
  const lock = digest(readFileSync(join(root, 'package-lock.json')));
  if (stamp.lock === lock && existsSync(join(root, 'node_modules'))) return;
  if (installedByHand()) {
    writeStamp(stamp, { lock });
    return;
  }
  say(
    stamp.lock === undefined
      ? 'installing dependencies (npm ci)'
      : 'package-lock.json changed: installing (npm ci)',
  );
  await npm(['ci', '--no-audit', '--no-fund']);
  writeStamp(stamp, { lock, abi: process.versions.modules, sources: undefined });
}

/** Somebody ran `npm ci` or `npm install` after the lock file was last written. */
function installedByHand() {
  const hidden = join(root, 'node_modules', '.package-lock.json');
  return existsSync(hidden) && statSync(hidden).mtimeMs >= statSync(join(root, 'package-lock.json')).mtimeMs;
}

async function rebuildNative(stamp, say) {
  const abi = process.versions.modules;
  if (stamp.abi === abi) return;
  if (!nativeLoads()) {
    say(`better-sqlite3 is not built for Node ${process.versions.node}: rebuilding it`);
    await npm(['rebuild', 'better-sqlite3']);
    if (!nativeLoads())
      throw new SetupFailed('better-sqlite3 does not load; it needs a C++ toolchain and Python to be built');
  }
  writeStamp(stamp, { abi });
}

function nativeLoads() {
  try {
    const Database = createRequire(import.meta.url)('better-sqlite3');
    new Database(':memory:').close();
    return true;
  } catch {
    return false;
  }
}

async function build(stamp, say) {
  const sources = sourcesDigest();
  if (stamp.sources === sources && packages().every(hasBuild)) return;
  say(stamp.sources === undefined ? 'building (about a minute the first time)' : 'sources changed: building');
  await run(process.execPath, [binOf('nx'), 'run-many', '-t', 'build', '--outputStyle=static'], {
    NX_DAEMON: 'false',
  });
  writeStamp(stamp, { sources });
}

function binOf(name) {
  const file = join(root, 'node_modules', name, 'package.json');
  const { bin } = JSON.parse(readFileSync(file, 'utf8'));
  return join(dirname(file), typeof bin === 'string' ? bin : bin[name]);
}

function packages() {
  return ['libs', 'apps'].flatMap((kind) =>
    readdirSync(join(root, kind), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && existsSync(join(root, kind, entry.name, 'package.json')))
      .map((entry) => join(kind, entry.name)),
  );
}

function hasBuild(folder) {
  const { scripts = {} } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  return scripts.build === undefined || existsSync(join(root, folder, 'dist'));
}

/** Names, sizes and times of everything a build reads: cheap, and enough to know that nothing changed. */
function sourcesDigest() {
  const hash = createHash('sha256');
  const add = (path) => {
    const { mtimeMs, size } = statSync(join(root, path));
    hash.update(`${path}\0${mtimeMs}\0${size}\n`);
  };
  const rules = ['build-package.mjs', 'shared-shapes.mjs'].map((file) => `tools/${file}`);
  for (const file of ['package.json', 'nx.json', 'tsconfig.base.json', ...rules]) add(file);
  for (const folder of packages()) {
    for (const file of readdirSync(join(root, folder))) if (file.endsWith('.json')) add(join(folder, file));
    const src = join(folder, 'src');
    const entries = readdirSync(join(root, src), { recursive: true, withFileTypes: true });
    for (const entry of entries) {
      const from = entry.parentPath ?? entry.path;
      if (entry.isFile()) add(join(from.slice(root.length), entry.name));
    }
  }
  return hash.digest('hex');
}

export function npm(args) {
  const script = process.env.npm_execpath;
  const viaNode = script !== undefined && /\.c?js$/.test(script) && existsSync(script);
  return viaNode
    ? run(process.execPath, [script, ...args], {})
    : run('npm', args, {}, process.platform === 'win32');
}

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Quiet while it goes well; what was said is shown when it does not. */
function run(command, args, env, shell = false) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      shell,
    });
    const pass = (signal) => child.kill(signal);
    for (const signal of stopSignals) process.on(signal, pass);
    const said = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => said.push(chunk));
    child.once('error', (error) => reject(new SetupFailed(`${command} cannot be run: ${error.message}`)));
    child.once('close', (code, signal) => {
      for (const each of stopSignals) process.off(each, pass);
      if (code === 0) return resolve();
      if (stopSignals.includes(signal)) return reject(new SetupFailed(`stopped (${signal})`));
      process.stderr.write(Buffer.concat(said));
      reject(new SetupFailed(`${[command, ...args].join(' ')} failed`));
    });
  });
}

function digest(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}

function readStamp() {
  try {
    return JSON.parse(readFileSync(stampFile, 'utf8'));
  } catch {
    return {};
  }
}

function writeStamp(stamp, changes) {
  Object.assign(stamp, changes);
  mkdirSync(dirname(stampFile), { recursive: true });
  writeFileSync(stampFile, `${JSON.stringify(stamp)}\n`);
}
