#!/usr/bin/env node
// `npm start [-- flags of uar up]`: puts in place what is missing, then runs `uar up` until it ends.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { root, setUp, SetupFailed } from './setup.mjs';

// The script is `exec node ... || node ...`: the shell of npm is replaced by us, so that signals to npm reach us and not a
// shell that keeps them; a shell without `exec` (cmd) goes on behind the bars.
// Whom no signal can reach any more, because npm was killed, ends all the same.
const parent = process.ppid;
if (process.env.npm_lifecycle_event === 'start')
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM');
  }, 500).unref();

const say = (line) => process.stdout.write(`${line}\n`);

try {
  await setUp({ say });
} catch (error) {
  if (!(error instanceof SetupFailed)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}

// A process group of its own: a Ctrl-C reaches it once, through us. The channel tells it when we are gone.
const child = spawn(
  process.execPath,
  [
    '--no-turbo-inline-js-wasm-calls',
    join(root, 'apps', 'uar', 'dist', 'main.js'),
    'up',
    ...process.argv.slice(2),
  ],
  { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], detached: process.platform !== 'win32' },
);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.once('error', (error) => {
  process.stderr.write(`uar up cannot be run: ${error.message}\n`);
  process.exit(1);
});
child.once('exit', (code) => process.exit(code ?? 1));
