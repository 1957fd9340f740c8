// Calls that a human approves, with durable intent on SQLite: how many a second, beside calls that policy alone decides; how long a
// decision made at one gateway takes to the caller at another; what 1,000 waiting calls and 200 streams keep in memory.
import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { startReplica } from '@uar/testkit';
import { openEvents } from './event-reader.mjs';
import { post } from './lean-client.mjs';
import { cpuMs, load, printTable, quantile } from './measure.mjs';
import { startEchoProduct } from './product.mjs';

const ms = Number(process.env.BENCH_MS ?? 8000);
const waiting = 1_000;
const streams = 200;
const warmUpCalls = 1_500;
const approvals = { timeout_seconds: 600, max_pending: 5_000, max_new_per_minute: 1_000_000 };
const agent = new Agent({ keepAlive: true, maxSockets: 2_048 });
const headersOf = (token) => ({ authorization: `Bearer ${token}` });

/** A run in which a human is asked about every call. */
async function askingRun({ gateway, tokenOf }) {
  const body = '{"scopes":{"turn":{"tool_approval":"ask"}}}';
  const { status, text } = await post(agent, `${gateway}/api/uar/runs`, headersOf(tokenOf('caller')), body);
  if (status !== 201) throw new Error(`run: ${status} ${text}`);
  return JSON.parse(text).run_id;
}

let calls = 0;
async function execute(url, token, run, headers = {}) {
  calls += 1;
  const body = JSON.stringify({
    arguments: { message: `call ${calls}` },
    ...(run !== undefined && { run_id: run }),
  });
  const to = `${url}/api/tools/bench__echo/execute`;
  const { status, text } = await post(agent, to, { ...headersOf(token), ...headers }, body);
  if (status !== 200 && status !== 202) throw new Error(`call: ${status} ${text.slice(0, 300)}`);
  return JSON.parse(text);
}

/** Approves whatever is asked, as soon as the event says so. */
function approver(url, token, decided) {
  return openEvents(url, token, (event) => {
    if (event.type !== 'call.approval_required') return;
    const { approval_id: id } = event.data;
    const to = `${url}/api/uar/approvals/${id}/decision`;
    void post(agent, to, headersOf(token), '{"decision":"approve"}').then(() =>
      decided?.(event.call_id, performance.now()),
    );
  });
}

function rssMb(pids) {
  const pages = pids.map((pid) =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]),
  );
  return pages.reduce((sum, kb) => sum + kb, 0) / 1024;
}

/** By count, as a loaded machine makes few in any time: before that, compiling the product is measured. */
async function warmUp(ask) {
  for (let done = 0; done < warmUpCalls; done += (await load(ask, { inFlight: 64, ms: 1_000 })).calls);
}

/** `cpuUs`: what the product's one process spends on each call. */
async function loadOf(pid, call, options) {
  const before = cpuMs(pid);
  const result = await load(call, options);
  return { ...result, cpuUs: ((cpuMs(pid) - before) * 1000) / result.calls };
}

async function approvedPerSecond() {
  const product = await startEchoProduct('inprocess', { approvals });
  const run = await askingRun(product);
  const caller = product.tokenOf('caller');
  const alone = await loadOf(product.pid, () => execute(product.gateway, caller), {
    inFlight: 16,
    ms: ms / 2,
  });
  const votes = await approver(product.gateway, product.tokenOf('approver'));
  const ask = () => execute(product.gateway, caller, run);
  await warmUp(ask);
  const approved = await loadOf(product.pid, ask, { inFlight: 64, ms });
  votes.close();
  await product.stop();
  return { alone, approved };
}

async function acrossGateways() {
  const product = await startEchoProduct('nats', { approvals });
  const other = await startReplica(product, 'gateway');
  const run = await askingRun(product);
  const decidedAt = new Map();
  const votes = await approver(other.gateway, product.tokenOf('approver'), (id, at) => decidedAt.set(id, at));
  const resumed = [];
  const ask = async () => {
    const view = await execute(product.gateway, product.tokenOf('caller'), run);
    const answeredAt = performance.now();
    resumed.push([view.call_id, answeredAt]);
  };
  await load(ask, { inFlight: 4, ms });
  await new Promise((resolve) => setTimeout(resolve, 500));
  const waits = resumed
    .map(([id, at]) => Math.max(0, at - (decidedAt.get(id) ?? at)))
    .toSorted((left, right) => left - right);
  votes.close();
  await other.stop();
  await product.stop();
  return waits;
}

async function memoryOfWaiting() {
  const product = await startEchoProduct('inprocess', { approvals });
  const pids = [product.pid];
  const run = await askingRun(product);
  const caller = product.tokenOf('caller');
  for (let index = 0; index < 200; index += 1) await execute(product.gateway, caller);
  const idle = rssMb(pids);
  const open = [];
  for (let index = 0; index < streams; index += 1)
    open.push(await openEvents(product.gateway, product.tokenOf(`reader${index % 20}`)));
  await load(
    async () => {
      await execute(product.gateway, caller, run, { prefer: 'respond-async' });
      if (calls >= waiting + 200) throw new Error('enough');
    },
    { inFlight: 8, ms: 120_000 },
  ).catch((error) => {
    if (error.message !== 'enough') throw error;
  });
  const busy = rssMb(pids);
  for (const stream of open) stream.close();
  await product.stop();
  return { idle, busy };
}

const { alone, approved } = await approvedPerSecond();
const waits = await acrossGateways();
calls = 0;
const { idle, busy } = await memoryOfWaiting();

const row = (what, { perSecond, p50, p99, cpuUs }) => [
  what,
  perSecond.toFixed(0),
  p50.toFixed(1),
  p99.toFixed(1),
  cpuUs.toFixed(0),
  (perSecond / alone.perSecond).toFixed(2),
];
printTable([
  ['what', 'calls/s', 'p50 ms', 'p99 ms', 'CPU us/call', 'x policy-only'],
  row('policy-only read, 16 in flight', alone),
  row('approved, durable intent, 64 in flight (target 400/s)', approved),
]);
console.log(
  `\ndecision at gateway B to answer at gateway A, ${waits.length} calls: p50 ${quantile(waits, 0.5).toFixed(1)} ms, p99 ${quantile(waits, 0.99).toFixed(1)} ms (target 200 ms)`,
);
console.log(
  `${waiting} waiting calls and ${streams} streams: ${(busy - idle).toFixed(0)} MB over ${idle.toFixed(0)} MB idle (target 300 MB)`,
);
