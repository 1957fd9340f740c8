import type { CallId, Caller, InstanceId, Outcome } from '@uar/contracts';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Front } from '../../../domain/front/front.js';
import type { ItemAsk, ItemEnded } from '../../../domain/item/item-desk.js';
import { RpcError } from '../calls/call-result.js';
import { ItemAnswers } from './item-answers.js';

const caller = { run_id: 'run_1' } as unknown as Caller;
const seat = { id: '', gateway: '0123456789abcdef' as InstanceId, capabilities_json: '{}' };
const callId = 'call_1' as CallId;

describe('ItemAnswers', () => {
  let asked: ItemAsk[];
  let end: (ended: Partial<ItemEnded>) => void;
  let listed: Awaited<ReturnType<Front['items']>>;
  let answers: ItemAnswers;
  let noted: { runs: unknown[]; progress: unknown[]; cancel: () => void };

  const front = {
    items: () => Promise.resolve(listed),
    item: (_caller, kind, id) =>
      Promise.resolve(
        id.startsWith('no') ? { kind: 'unavailable' } : { kind, server: 'srv', id: id.replace('shown:', '') },
      ),
    shownContents: (_item, uri, resultJson) => resultJson.replace('"OWN"', JSON.stringify(uri)),
  } as Pick<Front, 'items' | 'item' | 'shownContents'> as Front;

  beforeEach(() => {
    asked = [];
    noted = { runs: [], progress: [], cancel: () => undefined };
    listed = { kind: 'listed', definitions: ['{"uri":"a"}'], incomplete: [] };
    answers = new ItemAnswers({
      front,
      items: {
        request: (ask) => {
          asked.push(ask);
          const ended = new Promise<ItemEnded>((resolve) => {
            end = (how) => resolve({ callId, outcome: 'completed', message: 'text', ...how });
          });
          return { callId, ended };
        },
      },
      caller: () => caller,
      seat: () => seat,
    });
  });

  async function ask(method: string, params?: object): Promise<unknown> {
    const answer = new Map(answers.byMethod).get(method);
    if (answer === undefined) throw new Error(method);
    const result = await answer({
      ...{ id: 1, params },
      runs: (call) => noted.runs.push(call),
      onCancel: (listener) => (noted.cancel = listener),
      notify: (progress) => noted.progress.push(progress),
    });
    return result.text;
  }
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  async function answered(method: string, params: object, how: Partial<ItemEnded>): Promise<unknown> {
    const before = asked.length;
    const answer = ask(method, params);
    answer.catch(() => undefined);
    await settle();
    expect(asked).toHaveLength(before + 1);
    end(how);
    return answer;
  }
  const refusal = (answer: Promise<unknown>) =>
    answer.then(
      () => undefined,
      (error: unknown) => (error instanceof RpcError ? [error.code, error.data] : error),
    );

  it.each([
    ['resources/list', 'resources'],
    ['resources/templates/list', 'resourceTemplates'],
    ['prompts/list', 'prompts'],
  ])('lists %s as %s, with what is missing', async (method, name) => {
    expect(await ask(method)).toBe(`{"${name}":[{"uri":"a"}]}`);
    listed = { kind: 'listed', definitions: [], incomplete: [{ server: 's', reason: 'gone' }] };
    expect(await ask(method, {})).toBe(
      `{"${name}":[],"_meta":{"io.uar/incomplete":[{"server":"s","reason":"gone"}]}}`,
    );
    listed = { kind: 'denied', cause: 'run_completed' };
    expect(await ask(method, {})).toBe(`{"${name}":[]}`);
    listed = { kind: 'unavailable' };
    expect(await refusal(ask(method, {}))).toEqual([-32603, undefined]);
  });

  it('lists in pages of a thousand', async () => {
    const definitions = Array.from({ length: 1_001 }, (_, index) => `{"uri":"${index}"}`);
    listed = { kind: 'listed', definitions, incomplete: [] };
    const first = JSON.parse(String(await ask('resources/list')));
    expect(first.resources).toHaveLength(1_000);
    const last = JSON.parse(String(await ask('resources/list', { cursor: first.nextCursor })));
    expect(last).toEqual({ resources: [{ uri: '1000' }] });
    for (const cursor of ['x', '-1', '1.5', '2000', 7])
      expect(await refusal(ask('resources/list', { cursor }))).toEqual([-32602, undefined]);
  });

  it('asks in the names of the upstream, without _meta, and answers with the result and what it was', async () => {
    const params = { uri: 'shown:u', extra: 1, _meta: { x: 1 } };
    const resultJson = '{ "contents":[{"uri":"OWN","n":1.50}], "_meta":{"a":1} }';
    const text = await answered('resources/read', params, { resultJson });
    expect(asked[0]).toMatchObject({ caller, seat, method: 'resources/read' });
    expect(asked[0]?.item).toEqual({ kind: 'resource', server: 'srv', id: 'u' });
    expect(asked[0]?.paramsJson).toBe('{"uri":"u","extra":1}');
    expect(text).toBe(
      '{ "contents":[{"uri":"shown:u","n":1.50}], "_meta":{"a":1,"io.uar/call":{"call_id":"call_1","outcome":"completed","effect":"ran"}} }',
    );
    expect(noted.runs).toEqual([{ callId }]);
  });

  it('asks for prompts and completions of either', async () => {
    const resultJson = '{}';
    await answered('prompts/get', { name: 'shown:p', arguments: { a: 'b' } }, { resultJson });
    const argument = { name: 'a', value: 'b' };
    for (const ref of [
      { type: 'ref/prompt', name: 'shown:p' },
      { type: 'ref/resource', uri: 'shown:t/{x}' },
    ])
      await answered(
        'completion/complete',
        { ref, argument, context: { arguments: { z: 'y' } } },
        { resultJson },
      );
    expect(asked.map(({ item: { kind, id }, paramsJson }) => [kind, id, JSON.parse(paramsJson)])).toEqual([
      ['prompt', 'p', { name: 'p', arguments: { a: 'b' } }],
      [
        ...['prompt', 'p'],
        { ref: { type: 'ref/prompt', name: 'p' }, argument, context: { arguments: { z: 'y' } } },
      ],
      [
        ...['resource', 't/{x}'],
        { ref: { type: 'ref/resource', uri: 't/{x}' }, argument, context: { arguments: { z: 'y' } } },
      ],
    ]);
  });

  it.each([
    ['resources/read', {}],
    ['resources/read', { uri: '' }],
    ['resources/subscribe', { uri: 7 }],
    ['resources/unsubscribe', undefined],
    ['resources/read', { uri: 'x'.repeat(2_049) }],
    ['resources/read', { uri: 'u', _meta: [] }],
    ['prompts/get', { name: 'p', arguments: { a: 1 } }],
    ['prompts/get', { name: 'p', arguments: [] }],
    ['completion/complete', { ref: { type: 'ref/other', name: 'p' }, argument: { name: 'a', value: 'b' } }],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a' } }],
  ])('refuses %s of %j, and asks nobody', async (method, params) => {
    expect(await refusal(ask(method, params))).toEqual([-32602, undefined]);
    expect(asked).toEqual([]);
  });

  const called = (outcome: Outcome, effect: string) => ({
    'io.uar/call': { call_id: callId, outcome, effect },
  });

  it.each(['policy_denied', 'run_denied', 'capability_denied', 'unknown_tool'] as const)(
    'knows no such resource or prompt where it is %s',
    async (outcome) => {
      const data = called(outcome, 'did_not_run');
      expect(await refusal(answered('resources/read', { uri: 'u' }, { outcome }))).toEqual([
        -32002,
        { uri: 'u', ...data },
      ]);
      expect(await refusal(answered('prompts/get', { name: 'p' }, { outcome }))).toEqual([-32602, data]);
    },
  );

  it('asks nobody while nobody can say what is meant', async () => {
    for (const [method, params] of [
      ['resources/read', { uri: 'no:u' }],
      ['prompts/get', { name: 'no' }],
    ] as const)
      expect(await refusal(ask(method, params))).toEqual([-32603, undefined]);
    expect(asked).toEqual([]);
  });

  it.each(['unavailable', 'timeout', 'overloaded', 'internal_fault'] as const)(
    'fails where it is %s',
    async (outcome) => {
      const [code, data] = (await refusal(
        answered('resources/read', { uri: 'u' }, { outcome }),
      )) as unknown[];
      expect([code, Object(data)['io.uar/call'].outcome]).toEqual([-32603, outcome]);
    },
  );

  it('passes the error of the upstream on', async () => {
    const upstreamError = { code: -32002, message: 'not here', dataJson: '{"n":1.0}' };
    const error = await refusal(
      answered('resources/read', { uri: 'u' }, { outcome: 'upstream_error', upstreamError }),
    );
    expect(error).toEqual([
      -32002,
      { ...called('upstream_error', 'may_have_run'), upstream: { text: '{"n":1.0}' } },
    ]);
  });

  it('passes progress on under the token of the client, and its cancellation, however early', async () => {
    const meta = { _meta: { progressToken: 't' } };
    const reading = ask('resources/read', { uri: 'u', ...meta });
    noted.cancel();
    await settle();
    asked[0]?.onProgress?.('{"progress":1}');
    expect(noted.progress).toEqual([{ progress: 1, progressToken: 't' }]);
    let told = 0;
    asked[0]?.onCancel?.(() => (told += 1));
    expect(told).toBe(1);
    end({ resultJson: '{}' });
    await reading;
    await answered('resources/read', { uri: 'u' }, { resultJson: '{}' });
    expect(asked[1]?.onProgress).toBeUndefined();
    asked[1]?.onCancel?.(() => (told += 1));
    noted.cancel();
    expect(told).toBe(2);
  });

  it('counts subscriptions once, and ends those that are left', async () => {
    const resultJson = '{}';
    const { subscriptions } = answers;
    expect(await ask('resources/unsubscribe', { uri: 'a' })).toBe('{}');
    await refusal(answered('resources/subscribe', { uri: 'a' }, { outcome: 'policy_denied' }));
    expect(subscriptions.items).toEqual([]);
    for (const uri of ['shown:a', 'b']) await answered('resources/subscribe', { uri }, { resultJson });
    expect(await ask('resources/subscribe', { uri: 'a' })).toBe('{}');
    expect([subscriptions.uriOf('srv', 'a'), subscriptions.uriOf('srv', 'c')]).toEqual([
      'shown:a',
      undefined,
    ]);
    await answered('resources/unsubscribe', { uri: 'a' }, { resultJson });
    const before = asked.length;
    const ending = answers.endSubscriptions();
    end({ resultJson });
    await ending;
    expect(asked.slice(before).map(({ method, item }) => [method, item.id])).toEqual([
      ['resources/unsubscribe', 'b'],
    ]);
    expect(subscriptions.items).toEqual([]);
  });

  it('takes two hundred subscriptions and no more', async () => {
    for (let index = 0; index < 200; index += 1)
      await answered('resources/subscribe', { uri: `u${index}` }, { resultJson: '{}' });
    expect(await refusal(ask('resources/subscribe', { uri: 'u200' }))).toEqual([-32603, undefined]);
  });
});
