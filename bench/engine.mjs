// What the engine outlives: a million ordinary questions without growing, and 5,000 hostile ones beside ordinary ones.
// BENCH_QUESTIONS asks fewer.
import { CedarEngine, compileCedar } from '../apps/governance-decider/dist/adapters/cedar/engine.js';
import { Seat } from '../apps/governance-decider/dist/adapters/cedar/seat.js';
import { slicesOf } from '../apps/governance-decider/dist/domain/policy/slices.js';
import { warmUpQuestions } from '../apps/governance-decider/dist/domain/question/warm-up.js';
import { directory, operatorPolicies, policiesWith, startDecider, tenant } from './governance-world.mjs';
import { quantile } from './measure.mjs';

const count = Number(process.env.BENCH_QUESTIONS ?? 1_000_000);
const source = await policiesWith(operatorPolicies(62));
const policies = { ...source.platform, ...source.tenants.get(tenant) };
const decider = await startDecider(source);
const set = decider.sets.of(tenant);
await decider.stop();

const [version, module] = ['endurance', await compileCedar()];
const questions = warmUpQuestions(set, directory);
const installed = { version, schema: source.schema, policies, warmUp: questions, slices: slicesOf(set) };
const megabytes = (bytes) => `${(bytes / 1024 / 1024).toFixed(2)} MB`;
const failures = [];

async function endurance() {
  const seat = new Seat({ module }, () => undefined);
  const done = await seat.run({ op: 'install', schemaName: 'schema', ...installed }, 60_000);
  if (done.kind !== 'done') throw new Error(JSON.stringify(done));
  const batch = Array.from({ length: 100 }, () => questions).flat();
  const round = () => seat.run({ op: 'ask', set: version, questions: batch, stopAtRefusal: false }, 600_000);
  const seen = [];
  let asked = 0;
  const from = performance.now();
  for (let part = 0; part < 10; part += 1) {
    for (const until = (count / 10) * (part + 1); asked < until; asked += batch.length) await round();
    seen.push(seat.health.memoryBytes);
    console.log(`${asked} questions, wasm memory ${megabytes(seen.at(-1))}`);
  }
  const us = ((performance.now() - from) * 1_000) / asked;
  const isFlat = seen.at(-1) === seen[0];
  console.log(`${us.toFixed(0)} us each; flat: ${isFlat ? 'yes' : 'no'}`);
  if (!isFlat) failures.push('memory grew');
  await seat.stop();
}

async function hostile() {
  let replaced = 0;
  const engine = await CedarEngine.start(module, { waitMs: 60_000, batchMs: 20_000 });
  await engine.publish([installed]);
  process.on('worker', () => (replaced += 1));
  const [question] = questions;
  const throwing = { ...question, principal: { ...question.principal, id: '\ud800' } };
  const ask = (asked) => engine.ask({ set: version, questions: asked, stopAtRefusal: false });
  let threw = 0;
  const attack = (async () => {
    while (threw < 5_000) {
      const answers = await ask(Array.from({ length: 50 }, () => throwing));
      threw += answers.filter(({ kind }) => kind === 'threw').length;
    }
  })();
  const waits = [];
  let lost = 0;
  while (threw < 5_000) {
    const from = performance.now();
    const [answer] = await ask([question]);
    waits.push(performance.now() - from);
    lost += Number(answer.kind !== 'decided');
  }
  await attack;
  waits.sort((a, b) => a - b);
  const [p50, p99] = [0.5, 0.99].map((q) => quantile(waits, q).toFixed(1));
  console.log(
    `${threw} questions threw, ${replaced} instances replaced; beside them ${waits.length} ordinary ones, ${lost} lost, p50 ${p50} ms, p99 ${p99} ms, longest ${waits.at(-1).toFixed(0)} ms`,
  );
  if (lost > 0) failures.push('ordinary questions were lost');
  await engine.stop();
}

await endurance();
await hostile();
if (failures.length > 0) console.error(failures.join('; '));
process.exit(failures.length > 0 ? 1 : 0);
