import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Gateway, until } from '../../http-spec/gateway.fixture.js';
import { oneHuman } from '../../http-spec/neighbours.fixture.js';
import type { Message, RawAnswer } from '../raw-client.fixture.js';
import { StatelessClient } from './stateless-client.fixture.js';

const opensPages = { elicitation: { url: {} } };
const tool = 'srv__write';

const ran = () => ({ kind: 'ran' as const, result_json: '{"content":[]}', is_error: false });

describe('a stateless call that waits for a human', () => {
  let gateway: Gateway;
  let client: StatelessClient;
  let args: { n: number };
  let n = 0;
  const start = async () => {
    gateway = await Gateway.start({ approvals: { mcp_wait_seconds: 1 } });
    gateway.neighbours.decide = oneHuman;
    client = new StatelessClient(gateway, { capabilities: opensPages });
  };
  beforeAll(start);
  beforeEach(() => {
    gateway.neighbours.decide = oneHuman;
    gateway.neighbours.run = ran;
    gateway.neighbours.calls.length = 0;
    args = { n: ++n };
  });
  afterAll(() => gateway.stop());

  const resultOf = ({ messages }: RawAnswer): Message => messages.at(-1)?.['result'] ?? {};
  const errorOf = ({ messages }: RawAnswer) => messages.at(-1)?.['error']?.['code'];
  const approvals = () => [...gateway.neighbours.records.values()];
  const idOf = (result: Message): string => Object.keys(result['inputRequests'] ?? {})[0] ?? '';
  const vote = (id: string, how: 'approve' | 'reject') =>
    gateway.ask('POST', `/api/uar/approvals/${id}/decision`, {
      body: { decision: how },
      token: gateway.token('bob'),
    });
  const again = (
    result: Message,
    { by = client, name = tool, sent = args as object, answer = 'accept' } = {},
  ): Promise<RawAnswer> =>
    by.call(name, sent, {
      requestState: result['requestState'],
      inputResponses: { [idOf(result)]: { action: answer } },
    });

  it('sends its user to the page, and runs once for whoever comes back', async () => {
    const asked = resultOf(await client.call(tool, args));
    const id = idOf(asked);
    expect(asked).toEqual({
      resultType: 'input_required',
      inputRequests: {
        [id]: {
          method: 'elicitation/create',
          params: {
            mode: 'url',
            url: `${gateway.url}/approvals/${id}`,
            message: expect.stringContaining(tool),
          },
        },
      },
      requestState: expect.stringMatching(/^v1\./),
      _meta: {
        'io.uar/call': { call_id: expect.any(String), outcome: 'pending', effect: null, approval_id: id },
        'io.modelcontextprotocol/serverInfo': expect.objectContaining({ name: 'uar' }),
      },
    });
    expect((await vote(id, 'approve')).status).toBe(200);
    expect(gateway.neighbours.calls).toEqual([]);
    const [one, other] = await Promise.all([again(asked), again(asked)]);
    for (const each of [one, other])
      expect(resultOf(each)).toMatchObject({
        resultType: 'complete',
        _meta: {
          'io.uar/call': { call_id: asked['_meta']?.['io.uar/call']?.['call_id'], outcome: 'completed' },
        },
      });
    expect([
      gateway.neighbours.calls.length,
      approvals().filter(({ status }) => status === 'pending'),
    ]).toEqual([1, []]);
    const late = resultOf(await again(asked));
    expect(late).toMatchObject({ isError: true, _meta: { 'io.uar/call': { outcome: 'completed' } } });
    expect(gateway.neighbours.calls.length).toBe(1);
  });

  it.each(['accept', 'decline', 'cancel'])('takes no answer for a vote: %s', async (answer) => {
    const asked = resultOf(await client.call(tool, args));
    const before = approvals().length;
    const still = resultOf(await again(asked, { answer }));
    expect(still).toMatchObject({ resultType: 'input_required', inputRequests: asked['inputRequests'] });
    expect([gateway.neighbours.calls.length, approvals().length]).toEqual([0, before]);
    expect(approvals().find(({ draft }) => draft.approval_id === idOf(asked))?.status).toBe('pending');
    await vote(idOf(asked), 'reject');
    expect(resultOf(await again(still))).toMatchObject({
      isError: true,
      _meta: { 'io.uar/call': { outcome: 'approval_rejected' } },
    });
    expect(resultOf(await again(asked))['_meta']?.['io.uar/call']).toMatchObject({
      outcome: 'approval_rejected',
    });
    expect(approvals().length).toBe(before);
  });

  it('hears of the decision while it waits', async () => {
    const asked = resultOf(await client.call(tool, args));
    const waiting = again(asked);
    await vote(idOf(asked), 'approve');
    expect(resultOf(await waiting)).toMatchObject({ resultType: 'complete' });
  });

  /** The tool runs for longer than a client waits for a human. */
  const runsLong = async () => {
    // The hosts of a spec have no pulse: a gateway takes one for dead when it has run long enough.
    await gateway.stop();
    await start();
    gateway.neighbours.run = async () => {
      await new Promise((resolve) => setTimeout(resolve, 1_200));
      return ran();
    };
  };

  it.each([true, false])(
    'waits without limit for the end of what was allowed before: %s',
    async (isBefore) => {
      await runsLong();
      const asked = resultOf(await client.call(tool, args));
      if (isBefore) await vote(idOf(asked), 'approve');
      const waiting = again(asked);
      if (!isBefore) await vote(idOf(asked), 'approve');
      expect(resultOf(await waiting)).toMatchObject({ content: [], resultType: 'complete' });
    },
  );

  it('waits so for a client that opens no page, too', async () => {
    await runsLong();
    const waiting = new StatelessClient(gateway).call(tool, args);
    const pending = () => approvals().find(({ status }) => status === 'pending')?.draft.approval_id ?? '';
    await until(() => pending() !== '');
    await vote(pending(), 'approve');
    expect(resultOf(await waiting)).toMatchObject({
      content: [],
      _meta: { 'io.uar/call': { outcome: 'completed' } },
    });
  });

  it('refuses a state that is forged, foreign, of another call or expired, and runs nothing', async () => {
    const asked = resultOf(await client.call(tool, args));
    await vote(idOf(asked), 'approve');
    const state = String(asked['requestState']);
    const flipped = `${state.slice(0, 40)}${state[40] === 'A' ? 'B' : 'A'}${state.slice(41)}`;
    const eve = new StatelessClient(gateway, { capabilities: opensPages, token: gateway.token('eve') });
    const agent = new StatelessClient(gateway, {
      capabilities: opensPages,
      token: gateway.token('ada', ['admin'], 'a'),
    });
    const before = approvals().length;
    const codes = [
      ...(await Promise.all(
        ['', 'x', 'v1.', `${state}-TAMPERED`, flipped, 'y'.repeat(5_000)].map(async (requestState) =>
          errorOf(await client.call(tool, args, { requestState })),
        ),
      )),
      errorOf(await again(asked, { by: eve })),
      errorOf(await again(asked, { by: agent })),
      errorOf(await again(asked, { sent: { n: 0 } })),
      errorOf(await again(asked, { name: 'srv__echo' })),
      errorOf(await client.call(tool, args, { requestState: 7 })),
      errorOf(await client.call(tool, args, { requestState: state, inputResponses: 'x' })),
    ];
    expect(new Set(codes)).toEqual(new Set([-32602]));
    expect([gateway.neighbours.calls.length, approvals().length]).toEqual([0, before]);
    expect(resultOf(await again(asked))).toMatchObject({ resultType: 'complete' });
  });

  it('ends with the stream that was closed while it was waited for', async () => {
    const asked = resultOf(await client.call(tool, args));
    const params = { name: tool, arguments: args, requestState: asked['requestState'] };
    const abort = client.abortable('tools/call', params);
    // Only a stream that has begun can be closed.
    await new Promise((resolve) => setTimeout(resolve, 300));
    abort();
    await until(() => gateway.neighbours.outcomes.at(-1) === 'cancelled');
    expect(resultOf(await again(asked))['_meta']?.['io.uar/call']).toMatchObject({ outcome: 'cancelled' });
    expect(gateway.neighbours.calls).toEqual([]);
  });

  it.each([[{}], [{ elicitation: {} }], [{ elicitation: { form: {} } }]])(
    'gives the fixed answer after a while to a client that declared %j',
    async (capabilities) => {
      const plain = new StatelessClient(gateway, { capabilities });
      const result = resultOf(await plain.call(tool, args));
      expect(result).toMatchObject({
        resultType: 'complete',
        isError: true,
        _meta: { 'io.uar/call': { outcome: 'pending' } },
      });
      expect([result['requestState'], result['inputRequests']]).toEqual([undefined, undefined]);
      const id = String(result['_meta']?.['io.uar/call']?.['approval_id']);
      await vote(id, 'approve');
      expect(resultOf(await plain.call(tool, args))).toMatchObject({
        _meta: { 'io.uar/call': { outcome: 'completed' } },
      });
      expect(gateway.neighbours.calls.length).toBe(1);
    },
  );
});
