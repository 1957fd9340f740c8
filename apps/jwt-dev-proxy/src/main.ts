import { processEnvironment } from '@uar/config';
import { runCommand } from './command.js';

const end = await runCommand({
  args: process.argv.slice(2),
  env: processEnvironment(),
  cwd: process.cwd(),
  say: (line) => process.stderr.write(`${line}\n`),
});
if (end.kind === 'exit') {
  process.exitCode = end.code;
} else {
  process.send?.({ kind: 'ready', url: end.proxy.url });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void end.proxy.close());
}
