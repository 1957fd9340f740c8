// `tools/list` of 500 tools in one answer, beside the same server asked directly with the official SDK; one run, ratios.
import { mcpCaller } from './lean-client.mjs';
import { cpuMs, load, printTable } from './measure.mjs';
import { startDirectEcho, startEchoProduct } from './product.mjs';

const tools = 500;
const budgetMs = 15;
const ms = Number(process.env.BENCH_MS ?? 4000);

async function measure(client, pid) {
  const listed = await client.list();
  if (listed.length !== tools) throw new Error(`${listed.length} tools were listed, not ${tools}`);
  await load(() => client.list(), { inFlight: 1, ms: Math.min(ms, 1500) });
  const before = cpuMs(pid);
  const result = await load(() => client.list(), { inFlight: 1, ms });
  client.close();
  return { ...result, cpu: (cpuMs(pid) - before) / result.calls };
}

const echo = await startDirectEcho(tools);
const direct = await measure(await mcpCaller(echo.url, 'echo'), echo.pid);
echo.stop();
const product = await startEchoProduct('inprocess', { tools });
const { launcher } = product.processes();
const governed = await measure(
  await mcpCaller(`${product.gateway}/mcp`, 'bench__echo', product.token),
  launcher,
);
await product.stop();

printTable([
  ['path', 'lists/s', 'p50 ms', 'p99 ms', 'CPU ms/list', 'x direct p50'],
  ...[
    ['direct, official SDK server over HTTP', direct],
    ['governed /mcp, one process', governed],
  ].map(([name, { perSecond, p50, p99, cpu }]) => [
    name,
    perSecond.toFixed(0),
    p50.toFixed(2),
    p99.toFixed(2),
    cpu.toFixed(2),
    (p50 / direct.p50).toFixed(2),
  ]),
]);
console.log(
  `\nbudget ${budgetMs} ms for a list of ${tools} tools: ${(governed.p50 / budgetMs).toFixed(2)} x`,
);
