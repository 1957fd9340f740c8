#!/usr/bin/env node
// `npm run chaos [-- --seconds N] [--seed N] [--ledger postgres]`: a plane with two gateways and two deciders (with PostgreSQL also two approval-services) is killed and stopped while it is called,
// every actor's own history is joined with the record, and builds with a fault in them have to be caught.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './setup.mjs';

const usage = 'usage: npm run chaos -- [--seconds N (60)] [--seed N] [--ledger sqlite|postgres (sqlite)]\n';

function read(args) {
  try {
    const { values } = parseArgs({
      args,
      options: {
        seconds: { type: 'string' },
        seed: { type: 'string' },
        ledger: { type: 'string' },
        help: { type: 'boolean' },
      },
    });
    const { ledger } = values;
    if (ledger !== undefined && !['sqlite', 'postgres'].includes(ledger))
      return { problem: `--ledger must be sqlite or postgres, not ${ledger}` };
    const bad = ['seconds', 'seed'].find(
      (name) => values[name] !== undefined && !/^[1-9]\d{0,6}$/.test(values[name]),
    );
    return bad === undefined
      ? { values }
      : { problem: `--${bad} must be a positive number, not ${values[bad]}` };
  } catch (error) {
    return { problem: error.message };
  }
}

const { values, problem } = read(process.argv.slice(2));
if (problem !== undefined || values.help) {
  (values?.help ? process.stdout : process.stderr).write(
    problem === undefined ? usage : `${problem}\n${usage}`,
  );
  process.exit(values?.help ? 0 : 2);
}
const env = {
  ...process.env,
  ...(values.seconds && { UAR_CHAOS_SECONDS: values.seconds }),
  ...(values.seed && { UAR_CHAOS_SEED: values.seed }),
  ...(values.ledger && { UAR_CHAOS_LEDGER: values.ledger }),
};
const { status } = spawnSync(process.execPath, [join(root, 'tools', 'test.mjs'), '--chaos'], {
  stdio: 'inherit',
  env,
});
process.exit(status ?? 1);
