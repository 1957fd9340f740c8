// The client side of the suites: the product connects to their servers, and a client of the product uses what these have.
import { fileURLToPath } from 'node:url';
import { startProduct } from '@uar/testkit';
import { suite, suite2026, wrongWithRun } from '../suites.mjs';
import { startOperator } from './operator.mjs';

const runs = [
  { title: 'core and auth', suite, args: ['--suite', 'all'], list: 'client/passing.json' },
  {
    ...{ title: 'all that another version has', suite: suite2026 },
    ...{ args: ['--suite', 'all'], list: 'client/passing-2026.json' },
  },
];
const command = `${process.execPath} ${fileURLToPath(new URL('command.mjs', import.meta.url))}`;

/** What is wrong with the client side, a line each. */
export async function wrongAsClient() {
  const product = await startProduct({ bus: 'inprocess', config: {} });
  const operator = await startOperator(product);
  const wrong = [];
  try {
    for (const { title, suite: of, args, list } of runs.filter((run) => run.suite.node !== undefined)) {
      const place = `as a client: ${title}, ${args.join(' ')}`;
      console.log(`\n${place}`);
      const environment = { UAR_CONFORMANCE_OPERATOR: operator.url };
      const found = await wrongWithRun(
        of,
        ['client', '--command', command, '--timeout', '120000', ...args],
        list,
        environment,
      );
      wrong.push(...found.map((line) => `${place}: ${line}`));
    }
    return wrong;
  } finally {
    operator.close();
    await product.stop();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const wrong = await wrongAsClient();
  for (const line of wrong) console.log(line);
  process.exitCode = wrong.length === 0 ? 0 : 1;
}
