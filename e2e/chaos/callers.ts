import { type Answer, type Body, clientAt, type Client } from '../client.js';
import { between, oneOf, pause, type Chance } from './chance.js';
import { digestOf, type Door, type Journal } from './history.js';
import type { Plane } from './plane.js';

interface CallerOptions {
  readonly name: string;
  readonly plane: Plane;
  readonly journal: Journal;
  readonly chance: Chance;
  readonly going: () => boolean;
}

interface Proposal {
  readonly id: string;
  readonly tool: 'read' | 'write';
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
}

const longestMs = 45_000;
const pollMs = 200;

/** Makes one call after another, now waiting, now polling; whoever has a key asks again at the other gateway after a lost answer. */
export async function makeCalls(options: CallerOptions): Promise<void> {
  for (let turn = 0; options.going(); turn += 1) {
    await attempt(options, proposal(options, turn));
    await pause(between(options.chance, 0, 30));
  }
}

function proposal({ name, chance }: CallerOptions, turn: number): Proposal {
  const id = `${name}-${turn}`;
  const isKeyed = chance() < 0.5;
  const isAsync = chance() < 0.3;
  return {
    id,
    tool: chance() < 0.5 ? 'write' : 'read',
    arguments: { id, wait_ms: between(chance, 0, 120) },
    headers: {
      ...(isKeyed && { 'idempotency-key': `key-${id}` }),
      ...(isAsync && { prefer: 'respond-async' }),
    },
  };
}

async function attempt(options: CallerOptions, call: Proposal): Promise<void> {
  const { journal, chance } = options;
  const tries = 'idempotency-key' in call.headers ? 4 : 1;
  const text = JSON.stringify(call.arguments);
  for (let nth = 0; nth < tries; nth += 1) {
    const door = oneOf<Door>(chance, ['A', 'B']) ?? 'A';
    journal.note({
      kind: 'asked',
      at: Date.now(),
      id: call.id,
      tool: call.tool,
      arguments_digest: digestOf(text),
      door,
    });
    const told = await asked(options, call, door);
    if (told === 'ended') return;
    await pause(between(chance, 100, 700));
    if (told === 'refused') return;
  }
}

/** `refused`: nothing ran because something is away; `unknown`: the caller was not told. */
type Told = 'ended' | 'refused' | 'unknown';

async function asked(options: CallerOptions, call: Proposal, door: Door): Promise<Told> {
  const { journal } = options;
  const { id } = call;
  const client = clientOf(options, door);
  const first = await within(client.execute(`chaos__${call.tool}`, call.arguments, call.headers));
  const answer = first === undefined ? undefined : await settled(options, first, door);
  if (answer === undefined) {
    journal.note({ kind: 'lost', at: Date.now(), id, door });
    return 'unknown';
  }
  if (answer.body['call_id'] === undefined) {
    journal.note({ kind: 'not_accepted', at: Date.now(), id, door, status: answer.status });
    return 'unknown';
  }
  journal.note({ kind: 'answered', at: Date.now(), id, door, ...ending(answer.body) });
  return String(answer.body['outcome']) === 'unavailable' ? 'refused' : 'ended';
}

/** Follows a call that goes on after its answer; any gateway may be asked. */
async function settled(options: CallerOptions, first: Answer, door: Door): Promise<Answer | undefined> {
  const limit = Date.now() + longestMs;
  let answer: Answer | undefined = first;
  while (answer !== undefined && String(answer.body['outcome']) === 'pending') {
    if (Date.now() > limit) return undefined;
    await pause(pollMs);
    const asking = oneOf<Door>(options.chance, ['A', 'B']) ?? door;
    const looked = await within(
      clientOf(options, asking).get(`/api/uar/calls/${String(first.body['call_id'])}`),
    );
    if (looked !== undefined && looked.body['call_id'] !== undefined) answer = looked;
  }
  return answer;
}

function ending(body: Body) {
  return {
    call_id: String(body['call_id']),
    outcome: String(body['outcome']),
    effect: String(body['effect']),
    receipt: (body['receipt'] ?? null) as { seq: number; hash: string } | null,
  };
}

/** Nothing where the connection broke or nobody answered in time. */
function within(asking: Promise<Answer>): Promise<Answer | undefined> {
  const late = pause(longestMs).then(() => undefined);
  return Promise.race([asking.catch(() => undefined), late]);
}

function clientOf({ plane, name }: CallerOptions, door: Door): Client {
  return clientAt(plane.doors[door], plane.product.token({ sub: name, roles: ['user'] }));
}
