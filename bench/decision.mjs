// What one decision, one effective list and one change of policies cost the PDP, beside their budgets (DESIGN.md 15). Times are
// of the decider alone; `decision-bus` adds the bus and the grant. On a machine with other work the quietest tenth says more.
import { loadavg } from 'node:os';
import {
  operatorPolicies,
  policiesWith,
  question,
  startDecider,
  tools,
  caller,
} from './governance-world.mjs';
import { quantile } from './measure.mjs';

const widths = [44, 6, 14, 12, 12, 12, 8, 10];

/** Said at once: on a slow machine the whole takes minutes. */
function say(row) {
  console.log(
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at]) : String(cell).padStart(widths[at])))
      .join('  '),
  );
}

const factors = { us: 1_000, ms: 1 };

/** Times in the budget's unit; CPU of all threads. A busy machine makes time longer, and CPU hardly. */
function report(what, { times, cpuMs }, { budget, unit }) {
  const factor = factors[unit];
  times.sort((a, b) => a - b);
  const [quiet, p50, p99] = [0.1, 0.5, 0.99].map((q) => quantile(times, q) * factor);
  const cpu = (cpuMs / times.length) * factor;
  const met = p50 <= budget ? 'yes' : Math.min(quiet, cpu || quiet) <= budget ? 'when quiet' : 'no';
  const shown = [quiet, p50, p99, cpu].map((time) => `${time.toFixed(unit === 'us' ? 1 : 2)} ${unit}`);
  say([what, times.length, ...shown, `${budget} ${unit}`, met]);
}

async function timesOf(count, prepare) {
  const runs = Array.from({ length: count }, (_, index) => prepare(index));
  const times = [];
  const before = process.cpuUsage();
  for (const run of runs) {
    const from = performance.now();
    await run();
    times.push(performance.now() - from);
  }
  const { user, system } = process.cpuUsage(before);
  return { times, cpuMs: (user + system) / 1_000 };
}

/** Decisions that the engine's own limit ended: possible where the machine has no time for it. */
let lost = 0;

async function decide(judge, asked) {
  const { verdict } = await judge.judgeCall(asked);
  if (verdict.kind === 'deny' && verdict.cause === 'engine_timeout') lost += 1;
  else if (verdict.kind !== 'allow') throw new Error(JSON.stringify(verdict));
}

const decider = await startDecider(await policiesWith(operatorPolicies(62)));
const { judge } = decider;
const [status] = decider.sets.status();

say(['what', 'n', 'quietest tenth', 'p50', 'p99', 'CPU each', 'budget', 'met']);

/** A caller and a tool that are known; a path that was never asked about, which a policy reads. */
const fresh = (index) => {
  const asked = question({ path: `/workspace/1/${index}` });
  return () => decide(judge, asked);
};
const same = () => {
  const asked = question({ path: '/workspace/1/same' });
  return () => decide(judge, asked);
};
await timesOf(300, (index) => fresh(`warm ${index}`));
await timesOf(3_000, same);
report('decision, remembered', await timesOf(20_000, same), { budget: 10, unit: 'us' });
report('decision, arguments never seen', await timesOf(1_000, fresh), { budget: 800, unit: 'us' });
const stranger = (index) => {
  const asked = question({ path: '/workspace/1/same' }, { caller: caller({ subject: `stranger-${index}` }) });
  return () => decide(judge, asked);
};
report('decision, caller never seen', await timesOf(1_000, stranger), { budget: 2_000, unit: 'us' });

const list = (count, subject) => {
  const [asking, all] = [caller({ subject }), JSON.parse(JSON.stringify(tools(count)))];
  return async () => {
    const sights = await judge.sights(asking, all);
    if (!sights.some(({ kind }) => kind === 'visible')) throw new Error('nothing is visible');
  };
};
for (const [count, budget, runs] of [
  [1_000, 80, 15],
  [10_000, 400, 7],
]) {
  const first = (index) => list(count, `user-${count}-${index}`);
  report(`list of ${count} tools, facts changed`, await timesOf(runs, first), { budget, unit: 'ms' });
  if (count > 1_000) continue;
  const again = () => list(count, 'user-1000-0');
  report(`list of ${count} tools, nothing changed`, await timesOf(200, again), { budget: 1, unit: 'ms' });
}

/** Decisions beside the swap, each about arguments that nobody asked about. */
async function decideWhile(work) {
  let isOver = false;
  void work.finally(() => (isOver = true));
  const times = [];
  for (let index = 0; !isOver; index += 1)
    times.push(...(await timesOf(1, () => fresh(`swap ${index}`))).times);
  return times;
}

const another = (n) => ({
  't/another': `@id("t/another")\n@reason("another")\nforbid (principal == UAR::User::"default/nobody-${n}", action, resource);\n`,
});
const activations = [];
const beside = [];
const large = operatorPolicies(961);
for (let n = 0; n < 5; n += 1) {
  const turn = decider.activate(await policiesWith({ ...large, ...another(n) }));
  beside.push(...(await decideWhile(turn)));
  activations.push(await turn);
}
const [{ totalMs }, ...changes] = activations;
const spent = (times) => ({ times, cpuMs: Number.NaN });
report(
  '1,000 policies in force after their cases',
  spent(activations.map(({ afterCasesMs }) => afterCasesMs)),
  { budget: 500, unit: 'ms' },
);
report('1,000 policies, one changed, in all', spent(changes.map((one) => one.totalMs)), {
  budget: 500,
  unit: 'ms',
});
report('decision beside these changes', spent(beside), { budget: 50, unit: 'ms' });

const load = loadavg()[0].toFixed(1);
console.log(`${status.policies} policies, one tool, one principal; load average ${load} at the end`);
console.log(`decisions lost to the engine's limit: ${lost}`);
console.log(`1,000 policies seen for the first time, in all: ${totalMs.toFixed(0)} ms`);
await decider.stop();
process.exit(0);
