import { describe, expect, it } from 'vitest';
import { HandClock, settle } from '../call-spec/facts.fixture.js';
import type { ClientAnswer, ClientAsk } from './connected-clients.js';
import { ParkedAsks, type BroughtAnswers } from './parked-asks.js';

const none = new AbortController().signal;
const asking = (params: object = {}, method: ClientAsk['method'] = 'roots/list'): ClientAsk => ({
  ...{ ask_id: 'id', seat_id: 'seat', method, params_json: JSON.stringify(params) },
});
const named = (name: unknown): ClientAsk => asking({ _meta: { 'io.uar/key': name } });
const brought = (byKey: Record<string, string>, shown = 1_000): BroughtAnswers => ({
  shown,
  byKey: new Map(Object.entries(byKey)),
});
const answered = (result_json: string): ClientAnswer => ({ kind: 'answered', result_json });

function parked(given: Record<string, string> = {}) {
  const clock = new HandClock();
  const asks = new ParkedAsks(clock, new Map(Object.entries(given)));
  const told: (readonly string[])[] = [];
  asks.watch(() => told.push(asks.list().map(({ key }) => key)));
  return { clock, asks, told };
}

describe('what an upstream asks of a client without a stream', () => {
  it('is told together when it was asked together, and answered by key, each as its client wrote it', async () => {
    const { clock, asks, told } = parked();
    const answers = [asks.ask(asking(), none), asks.ask(named('b'), none), asks.ask(asking(), none)];
    expect(told).toEqual([]);
    await clock.advance(1_000);
    const [one = '', b = '', other = ''] = told[0] ?? [];
    expect([told.length, b]).toEqual([1, 'b']);
    expect(one).toMatch(/^ask_[0-9a-f-]{36}$/);
    asks.take(brought({ [one]: '{"n":1.50}', unknown: '{}', b: '{"b":1e2}' }));
    expect(await Promise.all(answers.slice(0, 2))).toEqual([answered('{"n":1.50}'), answered('{"b":1e2}')]);
    expect(asks.list().map(({ key }) => key)).toEqual([other]);
    asks.take(brought({ [one]: '{}', [other]: '{}' }));
    expect([await answers[2], asks.size]).toEqual([answered('{}'), 0]);
  });

  it('is told again to whoever comes while it is open, and to nobody once nothing is', async () => {
    const { clock, asks } = parked();
    void asks.ask(asking(), none);
    await clock.advance(1_000);
    const later: number[] = [];
    const stop = asks.watch(() => later.push(asks.size));
    await clock.advance(1_000);
    stop();
    void asks.ask(asking(), none);
    await clock.advance(1_000);
    expect(later).toEqual([1]);
  });

  it('is not answered by what was brought before it was shown, whatever its name', async () => {
    const { asks } = parked();
    const first = asks.ask(named('name'), none);
    const { count } = asks;
    asks.take(brought({ name: '{"round":1}' }, count));
    expect(await first).toEqual(answered('{"round":1}'));
    void asks.ask(named('other'), none);
    asks.take(brought({ other: '{"round":1}' }, count));
    expect(asks.list()).toMatchObject([{ key: 'other' }]);
  });

  it('is not answered by an answer to the one before of the same name that is delivered twice', async () => {
    const { asks } = parked();
    const first = asks.ask(named('name'), none);
    asks.take(brought({ name: '{"ok":true}' }, asks.count));
    expect(await first).toEqual(answered('{"ok":true}'));
    const second = asks.ask(named('name'), none);
    asks.take(brought({ name: '{"ok":true}' }, asks.count));
    const [{ key } = { key: '' }] = asks.list();
    expect(key).toMatch(/^ask_/);
    asks.take(brought({ [key]: '{"ok":false}' }, asks.count));
    expect(await second).toEqual(answered('{"ok":false}'));
  });

  it('is answered at once, and once, by whoever knew its name', async () => {
    const { asks, told } = parked({ name: '{"n":1}' });
    expect(await asks.ask(named('name'), none)).toEqual(answered('{"n":1}'));
    void asks.ask(named('name'), none);
    expect([asks.list(), told]).toMatchObject([[{ key: 'name' }], []]);
  });

  it.each([['__proto__'], [''], ['a b'], ['x'.repeat(65)], [7], [null]])(
    'has a key of ours where its name is %j',
    (name) => {
      const { asks } = parked();
      void asks.ask(named(name), none);
      expect(asks.list()[0]?.key).toMatch(/^ask_/);
    },
  );

  it('has a key of ours where its name is, or was, taken', () => {
    const { asks } = parked();
    for (let n = 0; n < 2; n += 1) void asks.ask(named('name'), none);
    expect(asks.list().map(({ key }) => key)).toEqual(['name', expect.stringMatching(/^ask_/)]);
  });

  it('disappears when its upstream takes it back, and does not come when it has', async () => {
    const { clock, asks, told } = parked();
    const left = new AbortController();
    const answer = asks.ask(asking(), left.signal);
    left.abort();
    expect(await answer).toEqual({ kind: 'gone' });
    expect(await asks.ask(asking(), left.signal)).toEqual({ kind: 'gone' });
    await clock.advance(1_000);
    expect([asks.size, told]).toEqual([0, []]);
  });

  it('is gone for what its client does not take any more, and when nobody will answer', async () => {
    const { asks } = parked();
    const [one, other] = [asks.ask(asking(), none), asks.ask(asking({}, 'elicitation/create'), none)];
    asks.keep(({ method }) => method === 'elicitation/create');
    expect(await one).toEqual({ kind: 'gone' });
    asks.end();
    expect(await other).toEqual({ kind: 'gone' });
    expect(await asks.ask(asking(), none)).toEqual({ kind: 'gone' });
  });

  it('fails where too much waits already, or the answer is too long to pass on', async () => {
    const { asks } = parked();
    const answers = Array.from({ length: 100 }, () => asks.ask(named('n'), none));
    expect(await asks.ask(asking(), none)).toMatchObject({ kind: 'failed' });
    asks.take(brought({ n: JSON.stringify({ text: 'x'.repeat(4 * 1024 * 1024) }) }));
    expect(await answers[0]).toMatchObject({ kind: 'failed', message: expect.stringContaining('too long') });
    await settle();
    expect(asks.size).toBe(99);
  });
});
