// One decision with its grant asked of the real decider over the in-process bus: repeated arguments (remembered) and new ones (Cedar).
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHub } from '@uar/bus';
import { loadConfig } from '@uar/config';
import { decideCall, readGovernanceStatus } from '@uar/contracts';
import { service as approvalService } from '@uar/approval-service/module';
import { service as governanceDecider } from '@uar/governance-decider/module';
import { createLog } from '@uar/telemetry';
import { question } from './governance-world.mjs';
import { printTable, quantile } from './measure.mjs';
import { root } from './product.mjs';

const home = mkdtempSync(join(tmpdir(), 'uar-decision-'));
const loaded = loadConfig({
  env: { UAR_DATA_DIR: home, UAR_POLICIES_DIR: join(root, 'deploy/policies') },
  cwd: home,
});
if (loaded.kind === 'bad') throw new Error(JSON.stringify(loaded.problems));

const hub = createHub();
const log = createLog({ service: 'bench', level: 'error' });
const start = (service, name) =>
  service.start({ config: loaded.config, bus: hub.connect({ service: name }), log });
const ledger = await start(approvalService, 'approval-service');
const decider = await start(governanceDecider, 'governance-decider');
const gateway = hub.connect({ service: 'gateway' });

let calls = 0;

function ask(message) {
  calls += 1;
  return gateway.ask(decideCall, {
    question: question({ message }, { call_id: `call_${calls.toString(16).padStart(32, '0')}` }),
    target: { host: 'mcp', instance: '0123456789abcdef', expires_at: Date.now() + 30_000 },
  });
}

async function measure(count, message) {
  const times = [];
  for (let index = 0; index < count; index += 1) {
    const from = performance.now();
    const reply = await ask(message(index));
    times.push((performance.now() - from) * 1000);
    if (reply.kind !== 'answered' || reply.value.kind !== 'allow') throw new Error(JSON.stringify(reply));
  }
  times.sort((a, b) => a - b);
  return times;
}

/** The decider learns from the ledger which policies were written by API before it decides. */
async function ready() {
  for (;;) {
    const reply = await ask('first');
    if (reply.kind === 'answered' && reply.value.kind === 'allow') return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

await ready();
const busTimes = [];
for (let index = 0; index < 2000; index += 1) {
  const from = performance.now();
  await gateway.ask(readGovernanceStatus, {});
  busTimes.push((performance.now() - from) * 1000);
}
busTimes.sort((a, b) => a - b);
await measure(300, (index) => `warm-up ${index}`);
const rows = [['ask', 'p50 us', 'p99 us']];
const add = (name, times) =>
  rows.push([name, quantile(times, 0.5).toFixed(0), quantile(times, 0.99).toFixed(0)]);
add('bus alone (status)', busTimes);
add('same arguments again, with grant', await measure(3000, () => 'the same'));
add('new arguments, with grant', await measure(1000, (index) => `new ${index}`));
printTable(rows);

await gateway.close();
await decider.stop();
await ledger.stop();
hub.close();
rmSync(home, { recursive: true, force: true });
process.exit(0);
