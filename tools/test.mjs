#!/usr/bin/env node
// `npm test [-- filters]`: every test that needs nothing but what the set-up provides. `--e2e`: whole products instead.
// `--proofs`: the proofs alone (of the PDP, of approvals, of a ledger whose server dies), on ten times the cases that `npm test` gives them (UAR_PROOF_SCALE sets another).
// `--chaos`: a plane whose processes are killed (`npm run chaos` sets for how long).
// UAR_TEST_REQUIRE=nats: a part that cannot run here is then a failure and not a line.
import { spawn } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { installPeers } from './peers.mjs';
import { root, setUp, SetupFailed } from './setup.mjs';

const say = (line) => process.stdout.write(`${line}\n`);

function isProgram(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function findNatsServer() {
  const named = process.env.UAR_NATS_SERVER;
  if (named) return isProgram(named) ? named : undefined;
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/bin'];
  return folders.map((folder) => join(folder, 'nats-server')).find(isProgram);
}

/** Absent: why a part of the tests cannot run. */
function missingProgram(name) {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin', '/usr/local/bin'];
  return folders.some((folder) => isProgram(join(folder, name))) ? undefined : `no ${name} found`;
}

/** UAR_POSTGRES_BIN, else the first folder with the programs in PATH and where Debian puts them. */
function findPostgres() {
  const named = process.env.UAR_POSTGRES_BIN;
  const packaged = '/usr/lib/postgresql';
  const versions = existsSync(packaged) ? readdirSync(packaged).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = named
    ? [named]
    : [...(process.env.PATH ?? '').split(delimiter), ...versions.map((each) => join(packaged, each, 'bin'))];
  return folders.find((folder) =>
    ['postgres', 'initdb', 'pg_ctl'].every((program) => isProgram(join(folder, program))),
  );
}

/** Parts of the tests that need something of the machine, and what is missing for them here. */
const parts = {
  nats: {
    what: 'the tests over a real NATS server',
    missing: () =>
      findNatsServer() === undefined ? 'no nats-server found (UAR_NATS_SERVER names one)' : undefined,
  },
  compose: {
    what: 'the compose files, read by docker-compose',
    of: 'unit',
    missing: () => missingProgram('docker-compose'),
  },
  kubectl: {
    what: 'the k8s overlays, built by kubectl',
    of: 'unit',
    missing: () => missingProgram('kubectl'),
  },
  postgres: {
    what: 'the tests with a real PostgreSQL',
    missing: () =>
      findPostgres() === undefined ? 'no Postgres found (UAR_POSTGRES_BIN names its folder)' : undefined,
  },
  chromium: {
    what: 'the pages in a browser',
    of: 'e2e',
    missing: () => missingProgram('chromium'),
  },
  peers: {
    what: 'the MCP clients and servers of others',
    of: 'e2e',
    missing: () => peersProblem,
  },
};

/** What has to run, and what will not. */
function look() {
  const required = (process.env.UAR_TEST_REQUIRE ?? '').split(',').filter((name) => name.trim() !== '');
  const unknown = required.filter((name) => !Object.hasOwn(parts, name.trim()));
  const step = e2e ? 'e2e' : proofs || chaos ? 'other' : 'unit';
  const concerned = Object.entries(parts).filter(([, { of = step }]) => of === step);
  const left = concerned.flatMap(([name, part]) => {
    const missing = part.missing();
    return missing === undefined ? [] : [{ name, line: `${part.what}: ${missing}` }];
  });
  const failures = [
    ...unknown.map((name) => `UAR_TEST_REQUIRE names ${name}, which no test here needs`),
    ...left.filter(({ name }) => required.some((wanted) => wanted.trim() === name)).map(({ line }) => line),
  ];
  return { left, failures };
}

function vitest(args) {
  const child = spawn(
    process.execPath,
    [join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run', ...args],
    {
      cwd: root,
      stdio: 'inherit',
    },
  );
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  return new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
}

/** Specs whose number of cases UAR_PROOF_SCALE sets: found, as a list of names would outlive a rename in silence. */
function proofFiles() {
  const sources = ['apps', 'libs'].flatMap((part) =>
    readdirSync(join(root, part)).map((member) => join(root, part, member, 'src')),
  );
  return sources
    .filter((source) => existsSync(source))
    .flatMap((source) =>
      readdirSync(source, { recursive: true, encoding: 'utf8' }).map((name) => join(source, name)),
    )
    .filter((file) => file.endsWith('.spec.ts'))
    .filter((file) => file.endsWith('.proof.spec.ts') || readFileSync(file, 'utf8').includes('proofRuns('));
}

const args = process.argv.slice(2);
const e2e = args.includes('--e2e');
const proofs = args.includes('--proofs');
const chaos = args.includes('--chaos');
const flags = ['--e2e', '--proofs', '--chaos'];
const filters = [...(proofs ? proofFiles() : []), ...args.filter((arg) => !flags.includes(arg))];
if (proofs) process.env.UAR_PROOF_SCALE ??= '10';

const peersProblem = e2e ? await installPeers({ say }) : undefined;
const { left, failures } = look();
if (failures.length > 0) {
  process.stderr.write(`required, but not here:\n${failures.map((line) => `  ${line}\n`).join('')}`);
  process.exit(1);
}
try {
  await setUp({ say });
} catch (error) {
  if (!(error instanceof SetupFailed)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
const projects = chaos ? ['chaos'] : e2e ? ['e2e'] : proofs ? ['unit', 'proofs'] : ['unit'];
const code = await vitest([...projects.flatMap((name) => ['--project', name]), ...filters]);
for (const { line } of left) say(`not run: ${line}`);
if (!e2e && !chaos && !proofs)
  say(
    'whole products are tested by `npm run e2e` and `npm run chaos`, PDP and approvals on tens of thousands of cases, power losses, mutated policies and a PostgreSQL that dies by `npm run proofs`',
  );
process.exit(code);
