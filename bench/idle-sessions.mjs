// Memory of MCP sessions that do nothing: the resident set of the one-process product before and after a thousand of them.
import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { post } from './lean-client.mjs';
import { printTable } from './measure.mjs';
import { startEchoProduct } from './product.mjs';

const sessions = Number(process.env.BENCH_SESSIONS ?? 1000);
const perPrincipal = 100;
const budgetMb = 60;

/** Resident set in MB (proc(5), VmRSS). */
function residentMb(pid) {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
}

const agent = new Agent({ keepAlive: true, maxSockets: 4 });
const accept = { accept: 'application/json, text/event-stream' };
const initialize = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
};
const messages = [
  { jsonrpc: '2.0', method: 'notifications/initialized' },
  { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  {
    jsonrpc: '2.0',
    id: 2,
    method: 'tools/call',
    params: { name: 'bench__echo', arguments: { message: 'x' } },
  },
].map((message) => JSON.stringify(message));

/** As clients do it: greet, list, call once, and say nothing more. */
async function openSession(gateway, token) {
  const headers = { ...accept, authorization: `Bearer ${token}` };
  const opened = await post(agent, `${gateway}/mcp`, headers, JSON.stringify(initialize));
  if (opened.status !== 200) throw new Error(`initialize: ${opened.status} ${opened.text}`);
  const session = { ...headers, 'mcp-session-id': opened.headers['mcp-session-id'] };
  for (const message of messages) {
    const { status, text } = await post(agent, `${gateway}/mcp`, session, message);
    if (status >= 300) throw new Error(`${message}: ${status} ${text}`);
  }
}

async function openMany(product, count, name) {
  for (let opened = 0; opened < count; opened += 1)
    await openSession(product.gateway, product.tokenOf(`${name}-${Math.floor(opened / perPrincipal)}`));
}

const product = await startEchoProduct('inprocess');
const { launcher } = product.processes();
// What the first sessions load and grow is not what the next thousand cost.
await openMany(product, perPrincipal, 'first');
const rows = [['sessions', 'resident MB', 'added MB', 'KB per session']];
const before = residentMb(launcher);
rows.push([perPrincipal, before.toFixed(1), '', '']);
await openMany(product, sessions, 'idle');
const after = residentMb(launcher);
const added = after - before;
rows.push([
  perPrincipal + sessions,
  after.toFixed(1),
  added.toFixed(1),
  ((added * 1024) / sessions).toFixed(1),
]);
printTable(rows);
console.log(
  `\nbudget ${budgetMb} MB for 1,000 idle sessions: ${((added * 1000) / sessions / budgetMb).toFixed(2)} x`,
);
agent.destroy();
await product.stop();
