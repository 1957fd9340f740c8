#!/usr/bin/env node
import './v8-flag.js';
import { processEnvironment } from '@uar/config';
import { runCommandLine } from './program.js';

process.stdout.on('error', () => process.exit(0)); // The reader has gone, as in `uar tools | head`.

const code = await runCommandLine(process.argv.slice(2), {
  env: processEnvironment(),
  cwd: process.cwd(),
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
process.stdout.write('', () => process.exit(code));
