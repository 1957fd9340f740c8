import { proofRuns } from '@uar/testkit';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Gateway } from '../http-spec/gateway.fixture.js';
import { type AnyBody, anyBody, anyHeaders, type HeaderFault } from './any-message.fixture.js';
import { type RawAnswer, RawClient } from './raw-client.fixture.js';

const answerMs = 15_000;
const refusals: Readonly<Record<Exclude<HeaderFault, 'none'>, number>> = {
  accept: 406,
  version: 400,
  media: 415,
  session: 404,
};

function within<T>(work: Promise<T>, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer in ${answerMs} ms to ${what}`)), answerMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** One response of JSON-RPC 2.0: an id, and either a result or an error. */
function expectResponse(message: object): void {
  expect(message).toMatchObject({ jsonrpc: '2.0', id: expect.anything() });
  expect(Number('result' in message) + Number('error' in message)).toBe(1);
  if ('error' in message)
    expect(message.error).toMatchObject({ code: expect.any(Number), message: expect.any(String) });
}

/** Every request one answer of its own, and nothing else that is an answer. */
function expectAnswers({ messages, headers }: RawAnswer, ids: readonly (string | number)[]): void {
  expect(headers.get('content-type')).toBe('text/event-stream');
  const responses = messages.filter((message) => !('method' in message));
  for (const response of responses) expectResponse(response);
  const answered = responses.map(({ id }) => JSON.stringify(id)).sort();
  expect(answered).toEqual(ids.map((id) => JSON.stringify(id)).sort());
}

function expectRefusal({ status, messages, headers }: RawAnswer): void {
  expect([400, 404, 405, 406, 413, 415]).toContain(status);
  expect(headers.get('content-type')).toMatch(/^application\/json/);
  expect(messages).toMatchObject([{ error: { message: expect.any(String) } }]);
}

/** What a text of which nothing is known was answered with must fit what it turned out to be. */
function expectFitting(answer: RawAnswer, text: string): void {
  if (answer.status !== 200 && answer.status !== 202) return expectRefusal(answer);
  const messages = [JSON.parse(text)].flat() as { id?: string | number; method?: string }[];
  const ids = messages.flatMap(({ id, method }) => (id === undefined || method === undefined ? [] : [id]));
  if (answer.status === 202) expect([answer.text, ids]).toEqual(['', []]);
  else expectAnswers(answer, ids);
}

function expectRight(answer: RawAnswer, body: AnyBody, hasBatches: boolean): void {
  const { meaning, text } = body;
  if (meaning.kind === 'mutated') return expectFitting(answer, text);
  if (meaning.kind === 'invalid' || (meaning.isBatch && !hasBatches)) {
    expect(answer.status).toBe(400);
    return expectRefusal(answer);
  }
  const { ids } = meaning;
  if (new Set(ids).size < ids.length) return expectRefusal(answer);
  if (ids.length > 0) {
    expect(answer.status).toBe(200);
    return expectAnswers(answer, ids);
  }
  expect([answer.status, answer.text]).toEqual([202, '']);
}

const { seed, cases, timeoutMs } = proofRuns({ cases: 400 });

describe(`any message (seed ${seed})`, () => {
  let gateway: Gateway;
  const sessions: { readonly client: RawClient; readonly hasBatches: boolean }[] = [];
  beforeAll(async () => {
    gateway = await Gateway.start();
    for (const path of ['/mcp', '/mcp/servers/srv'])
      for (const revision of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])
        sessions.push({
          client: await RawClient.open(gateway, { path, revision }),
          hasBatches: revision === '2025-03-26',
        });
  });
  afterAll(() => gateway.stop());
  const reached = (): number => gateway.neighbours.calls.length + gateway.neighbours.items.requests.length;

  it(
    'gets one well-formed answer or the right status, and reaches no upstream where it is refused',
    async () => {
      const property = fc.asyncProperty(
        anyBody,
        anyHeaders,
        fc.nat({ max: 7 }),
        async (body, { fault, headers }, which) => {
          const { client, hasBatches } = sessions[which] ?? {
            client: new RawClient(gateway),
            hasBatches: false,
          };
          const before = reached();
          const answer = await within(client.post(body.text, headers), body.text);
          if (fault === 'none') expectRight(answer, body, hasBatches);
          else expectRefusal(answer);
          if (fault !== 'none' && body.meaning.kind === 'messages' && !body.meaning.isBatch)
            expect(answer.status).toBe(refusals[fault]);
          if (answer.status !== 200) expect(reached()).toBe(before);
        },
      );
      await fc.assert(property, { seed, numRuns: cases });
    },
    timeoutMs,
  );

  it(
    'sent many at once in one session is answered one by one, the same id twice at most once at a time',
    async () => {
      const property = fc.asyncProperty(
        fc.array(anyBody, { minLength: 2, maxLength: 6 }),
        fc.nat({ max: 7 }),
        async (bodies, which) => {
          const { client, hasBatches } = sessions[which] ?? {
            client: new RawClient(gateway),
            hasBatches: false,
          };
          const answers = await within(
            Promise.all(bodies.map(({ text }) => client.post(text))),
            JSON.stringify(bodies),
          );
          for (const [index, answer] of answers.entries()) {
            const body = bodies[index];
            if (body === undefined) continue;
            const isInFlight = answer.status === 400 && answer.text.includes('still in flight');
            if (isInFlight) expectRefusal(answer);
            else expectRight(answer, body, hasBatches);
          }
        },
      );
      await fc.assert(property, { seed, numRuns: Math.ceil(cases / 4) });
    },
    timeoutMs,
  );
});
