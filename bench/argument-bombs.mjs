// What arguments made to hurt cost: reading them, the questions, Cedar. Each is decided in less than 5 ms, or refused.
import { argumentsDigest } from '@uar/json-text';
import { policiesWith, question, startDecider } from './governance-world.mjs';
import { printTable } from './measure.mjs';

const many = (count, member) => Array.from({ length: count }, (_, index) => member(index)).join();
const object = (count, value) => `{${many(count, (index) => `"k${index}":${value(index)}`)}}`;
const nested = (open, close, depth) => `{"a":${open.repeat(depth)}1${close.repeat(depth)}}`;

const bombs = {
  'one member': '{"a":1}',
  '15 levels': nested('{"a":', '}', 14),
  '100,000 levels': nested('[', ']', 100_000),
  '500 keys': object(500, () => '1'),
  '1,990 keys': object(1_990, () => '"x"'),
  '50,000 keys': object(50_000, () => '1'),
  '1,900 numbers in one array': `{"a":[${many(1_900, String)}]}`,
  'a string of 64 KB': JSON.stringify({ a: 'x'.repeat(65_536) }),
  'a string of 1 MB': JSON.stringify({ a: 'x'.repeat(1_000_000) }),
  'sixteen strings of 8 KB': object(16, () => `"${'x'.repeat(8_000)}"`),
  '500 lone surrogates': object(500, () => '"\\ud800x"'),
  'an integer of 5,000 digits': `{"a":${'9'.repeat(5_000)}}`,
  '500 pointers of 100 steps': object(500, (index) => `{"${'/~*'.repeat(33)}${index}":1}`),
};

/** Reads every bag, so that all of them are sent. */
const reads = `@id("t/reads")
@reason("reads every bag")
forbid (principal, action == UAR::Action::"callTool", resource) when {
  context.args.s.hasTag("/-") || context.args.n.hasTag("/-") || context.args.d.hasTag("/-") ||
  context.args.b.hasTag("/-") || context.args.l.hasTag("/-/*") || context.args.paths.contains("/-") ||
  context.args.nulls.contains("/-") };
`;
const decider = await startDecider(await policiesWith({ 't/reads': reads }));
const rows = [['arguments', 'bytes', 'ends', 'least ms', 'p50 ms', 'under 5 ms']];
const rounds = 30;

for (const [name, text] of Object.entries(bombs)) {
  const times = [];
  let end = '';
  for (let round = 0; round < rounds; round += 1) {
    const asked = { ...question({}), arguments_json: text, arguments_digest: argumentsDigest(text) };
    const judge = decider.judgeAfresh();
    const from = performance.now();
    const { verdict } = await judge.judgeCall(asked);
    times.push(performance.now() - from);
    end = verdict.cause ?? verdict.kind;
  }
  times.sort((a, b) => a - b);
  const [least, p50] = [times[0], times[rounds / 2]];
  const met = p50 < 5 ? 'yes' : least < 5 ? 'when quiet' : 'no';
  rows.push([name, Buffer.byteLength(text), end, least.toFixed(2), p50.toFixed(2), met]);
}
printTable(rows);
await decider.stop();
process.exit(0);
