import { randomBytes } from 'node:crypto';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CallId, agentsNamespace, type AskOf, type Caller, type decideCall } from '@uar/contracts';
import { argumentsDigest } from '@uar/json-text';
import { parse } from 'yaml';
import { copyShipped, shippedFolder } from '../adapters/cedar/questions.fixture.js';
import { readPolicies } from '../adapters/policies/policy-texts.js';
import { CaseFile } from '../domain/cases/case-file.js';
import { Fixtures } from '../domain/cases/fixtures.js';
import type { DecisionsLedger } from './decisions-ledger.fixture.js';

type CallQuestion = AskOf<typeof decideCall>['question'];

export interface Acme {
  /** A folder of policies in which tenant acme has the example's. */
  readonly policiesDir: string;
  readonly dataDir: string;
  readonly own: Readonly<Record<string, string>>;
  readonly fixtures: Fixtures;
  readonly people: readonly string[];
  readonly tools: readonly string[];
  remove(): Promise<void>;
}

/** The people, agents, tools and policies of the worked example, but for its rule about the time of day. */
export async function acme(): Promise<Acme> {
  const folder = await mkdtemp(join(tmpdir(), 'decider-acme-'));
  const policiesDir = join(folder, 'policies');
  await copyShipped(policiesDir);
  const home = join(policiesDir, 'tenants/acme');
  await cp(join(shippedFolder, 'examples/acme'), home, { recursive: true });
  await rm(join(home, 'gate-after-hours.cedar'));
  const file = CaseFile.parse(parse(await readFile(join(shippedFolder, 'cases/acme.yaml'), 'utf8')));
  const [first] = file.cases;
  if (first === undefined) throw new Error('the example has no cases');
  return {
    policiesDir,
    dataDir: folder,
    own: await readPolicies(home, 't'),
    fixtures: new Fixtures(file, { ...first.question, at: new Date().toISOString() }),
    people: Object.keys(file.principals),
    tools: Object.keys(file.tools),
    remove: () => rm(folder, { recursive: true }),
  };
}

export function registerAgents(ledger: DecisionsLedger): void {
  for (const [id, owner, agentClass, max_risk] of [
    ['coder1', 'eve', 'coder', 4],
    ['lowcoder', 'eve', 'coder', 1],
    ['clerk1', 'fay', 'clerk', 4],
  ] as const)
    ledger.put('acme', agentsNamespace, {
      key: id,
      value: { title: id, description: id, owner, class: agentClass, max_risk, scope: {} },
    });
}

/** The same numbers for the same seed, from 0 up to 1 (mulberry32). */
export function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const paths = [
  '/workspace/a',
  '/workspace/b/c',
  '/workspace/.env',
  '/etc/passwd',
  '/workspace/../etc/x',
  5,
  null,
];
const amounts = [1, 49.5, 50, 99.99, 100, 100.5, 5_000, 20_000, 'much', 1e300];
const hosts = ['https://docs.acme.com/x', 'https://evil.example/', 'no url'];

/** Who works with what, so that not all is denied. */
const work = [
  ['ann', 'search'],
  ['ann', 'publish'],
  ['eve', 'read'],
  ['eve', 'write'],
  ['fay', 'transfer'],
  ['fay', 'report'],
] as const;

/** Calls as they come: sound, odd, and such that nobody can read. */
export function randomCall(world: Acme, random: () => number): CallQuestion {
  const oneOf = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const [person, toolName] = random() < 0.6 ? oneOf(work) : [oneOf(world.people), oneOf(world.tools)];
  const agent = oneOf([undefined, undefined, undefined, 'coder1', 'lowcoder', 'clerk1', 'stranger']);
  const args = {
    ...(random() < 0.8 ? { path: oneOf(paths) } : {}),
    ...(random() < 0.8 ? { amount: oneOf(amounts) } : {}),
    ...(random() < 0.5 ? { url: oneOf(hosts) } : {}),
    ...(random() < 0.3 ? { q: oneOf(['a', 'b']), tags: ['x', 1, true] } : {}),
  };
  const text = random() < 0.03 ? '{"path":"/a","path":"/b"}' : JSON.stringify(args);
  const caller = world.fixtures.caller(person, agent);
  return question(withChannel(caller, oneOf(['api', 'interactive'])), world.fixtures.tool(toolName), text);
}

function withChannel(caller: Caller, channel: Caller['channel']): Caller {
  return { ...caller, channel, ip: '10.20.1.2' };
}

export function question(caller: Caller, tool: CallQuestion['tool'], argumentText: string): CallQuestion {
  return {
    call_id: CallId.parse(`call_${randomBytes(16).toString('hex')}`),
    caller,
    tool,
    arguments_json: argumentText,
    arguments_digest: argumentsDigest(argumentText),
  };
}
