import type { HostAnswer } from '@uar/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { principals, type Gateway } from '../contract-spec/gateway.fixture.js';
import { runResource } from '../contract-spec/items.fixture.js';
import { StatelessWorld } from './stateless-world.fixture.js';

const { alice } = principals;
const all = { sampling: {}, elicitation: { form: {} }, roots: {} };
const textOf = (answer: HostAnswer): unknown =>
  answer.kind === 'ran'
    ? (JSON.parse(answer.result_json) as { content: [{ text: string }] }).content[0].text
    : answer;

describe.each(['http', 'stdio'] as const)('what a server without sessions needs to know, over %s', (over) => {
  let stateless: StatelessWorld;
  beforeAll(async () => {
    stateless = await StatelessWorld.start(over);
  });
  afterAll(() => stateless.stop());
  beforeEach(() => {
    stateless.gateway.asked.length = 0;
  });

  const run = async (
    tool: string,
    args: object = {},
    seat: ReturnType<Gateway['seat']> = stateless.gateway.seat('all', all),
  ): Promise<HostAnswer> => await stateless.world.run('own', tool, { args, principal: alice, seat });

  it('is asked of its client, and what it gave to be repeated is repeated byte for byte', async () => {
    const { gateway } = stateless;
    gateway.say = () => ({ kind: 'answered', result_json: '{"action":"accept","content":{"name":"Zoë"}}' });
    expect(textOf(await run('greet', { id: 'g1' }))).toBe('hello Zoë, é "g1" \\ \u2028');
    expect(gateway.asked).toMatchObject([{ seat_id: 'all', method: 'elicitation/create' }]);
    expect(JSON.parse(gateway.asked[0]?.params_json ?? '')).toMatchObject({ message: 'Who?', mode: 'form' });
    expect(stateless.ran.filter((each) => each === 'g1')).toEqual(['g1']);
  });

  it('is asked at once, in as many rounds as it takes, and is answered under its keys', async () => {
    const { gateway } = stateless;
    const sampled = '{"role":"assistant","content":{"type":"text","text":"!"},"model":"m"}';
    const answers = {
      'sampling/createMessage': sampled,
      'roots/list': '{"roots":[]}',
      'elicitation/create': '{"action":"decline"}',
    };
    gateway.say = ({ method }) => ({ kind: 'answered', result_json: answers[method] });
    expect(textOf(await run('interview'))).toBe(`{"c":${sampled}}`);
    expect(gateway.asked.map(({ method }) => method).sort()).toEqual([
      ...['elicitation/create', 'roots/list', 'sampling/createMessage'],
    ]);
    expect(textOf(await run('later'))).toBe('at last');
  });

  it('is asked when a resource is read too', async () => {
    const { world, gateway } = stateless;
    gateway.say = () => ({ kind: 'answered', result_json: '{"action":"cancel"}' });
    const whose = { seat: gateway.seat('all', all), claims: { principal: alice } };
    expect(await runResource(world, 'resources/read', ['own', 'test://who'], whose)).toMatchObject({
      kind: 'ran',
      result_json: expect.stringContaining('{\\"name\\":{\\"action\\":\\"cancel\\"}}') as string,
    });
  });

  it('is not asked of who did not offer it: the error says what is lacking', async () => {
    const { gateway, world } = stateless;
    expect(await run('greet', { id: 'g2' }, gateway.seat('roots', { roots: {} }))).toMatchObject({
      ...{ kind: 'upstream_error', lacking: ['elicitation'] },
    });
    expect(await world.run('shared', 'greet', { args: { id: 'g2' } })).toMatchObject({
      ...{ kind: 'upstream_error', lacking: ['elicitation'] },
    });
    expect([gateway.asked, stateless.ran.includes('g2')]).toEqual([[], false]);
  });

  it('ends the call where its client gives no answer, and where it never has enough', async () => {
    const { gateway } = stateless;
    for (const [said, message] of [
      [{ kind: 'failed', code: -1, message: 'declined' }, /the client answered an error: declined \(-1\)/],
      [{ kind: 'gone' }, /the client is not there/],
      [{ kind: 'answered', result_json: '[]' }, /what is no result/],
    ] as const) {
      gateway.say = () => said;
      expect(await run('greet', { id: 'g3' })).toMatchObject({
        ...{ kind: 'upstream_error', code: -32603, message: expect.stringMatching(message) as string },
      });
    }
    gateway.say = () => ({ kind: 'answered', result_json: '{"roots":[]}' });
    expect(await run('endless')).toMatchObject({
      kind: 'upstream_error',
      message: 'the upstream asked for input too often',
    });
    expect(stateless.ran.includes('g3')).toBe(false);
  });
});
