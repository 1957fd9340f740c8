// A governed call through /mcp and through HTTP, beside the same server called directly with the official SDK; one run, ratios.
import { apiCaller, mcpCaller } from './lean-client.mjs';
import { cpuMs, load, printTable } from './measure.mjs';
import { startDirectEcho, startEchoProduct } from './product.mjs';

const steps = [1, 16, 64];
const ms = Number(process.env.BENCH_MS ?? 4000);

async function measure(caller, pids) {
  await load(() => caller.call(), { inFlight: 16, ms: Math.min(ms, 2500) });
  const results = [];
  for (const inFlight of steps) {
    const before = Object.entries(pids).map(([name, pid]) => [name, cpuMs(pid)]);
    const result = await load(() => caller.call(), { inFlight, ms });
    const cpu = before.map(([name, from]) => [name, ((cpuMs(pids[name]) - from) * 1000) / result.calls]);
    results.push({ inFlight, ...result, cpu: Object.fromEntries(cpu) });
  }
  caller.close();
  return results;
}

const sum = (cpu) =>
  Object.entries(cpu).reduce((total, [name, us]) => (name === 'upstream' ? total : total + us), 0);
const rows = [
  ['path', 'in flight', 'calls/s', 'p50 ms', 'p99 ms', 'CPU us/call', 'x direct calls/s', 'added p50 ms'],
];
const stages = [];

const echo = await startDirectEcho();
const direct = await measure(await mcpCaller(echo.url, 'echo'), { direct: echo.pid });
echo.stop();

function add(name, results) {
  for (const [index, result] of results.entries()) {
    const base = direct[index];
    rows.push([
      name,
      result.inFlight,
      result.perSecond.toFixed(0),
      result.p50.toFixed(2),
      result.p99.toFixed(2),
      sum(result.cpu).toFixed(0),
      (result.perSecond / base.perSecond).toFixed(2),
      (result.p50 - base.p50).toFixed(2),
    ]);
  }
}

add('direct, official SDK server over HTTP', direct);
for (const bus of process.env.BENCH_BUSES?.split(',') ?? ['inprocess', 'nats']) {
  console.error(`starting over ${bus} ...`);
  const product = await startEchoProduct(bus);
  const { launcher, ...services } = product.processes();
  const pids = bus === 'inprocess' ? { launcher, ...services } : services;
  const mcp = await measure(await mcpCaller(`${product.gateway}/mcp`, 'bench__echo', product.token), pids);
  add(`governed /mcp, ${bus}`, mcp);
  add(`governed HTTP, ${bus}`, await measure(apiCaller(product.gateway, 'bench__echo', product.token), pids));
  stages.push([bus, product.startMs, mcp[1].cpu]);
  await product.stop();
}

printTable(rows);
for (const [bus, startMs, cpu] of stages) {
  console.log(
    `\n${bus}: start to first governed call ${(startMs / 1000).toFixed(2)} s; CPU us per /mcp call at 16 in flight:`,
  );
  printTable(Object.entries(cpu).map(([name, us]) => [name, us.toFixed(0)]));
}
