import { TenantEventView, type NotedEvent } from '@uar/contracts';
import { argumentsDigest } from '@uar/json-text';
import { describe, expect, it } from 'vitest';
import { eventText } from '../event/shown-events.js';
import { denied, needsHuman, runId, settle } from './facts.fixture.js';
import { World } from './world.fixture.js';

const dataOf = (event: NotedEvent | undefined) => JSON.parse(event?.data_json ?? '{}');
const eventOf = (world: World, type: string) => world.events.find(({ event }) => event.type === type)?.event;

describe('the events of a call', () => {
  it('follow it through its stages, in its run, and end as its answer and its receipt', async () => {
    const world = new World();
    const ended = await world.propose('srv__write').ended;
    expect(world.noted).toEqual([
      'call.proposed',
      'call.decided allow',
      'call.dispatched',
      'call.ended completed',
    ]);
    expect(new Set(world.events.map((it) => it.runId))).toEqual(new Set([runId]));
    expect(new Set(world.events.map(({ event }) => event.call_id))).toEqual(new Set([ended.callId]));
    expect(world.written.at(-1)?.outcome).toBe('completed');
    expect(dataOf(eventOf(world, 'call.ended'))).toMatchObject({
      tool: 'srv__write',
      effect: 'ran',
      success: true,
      error: null,
      result_digest: world.written.at(-1)?.result_digest,
      result_bytes: 14,
    });
  });

  it('have the form that is promised for them', async () => {
    const world = new World();
    const { handle, approvalId } = await world.waiting();
    world.settle(approvalId, 'approved');
    await handle.ended;
    for (const { event } of world.events) {
      const shown = {
        id: 1,
        type: event.type,
        at: event.at,
        runId,
        callId: event.call_id,
        dataJson: event.data_json,
      };
      expect(TenantEventView.safeParse(JSON.parse(eventText(shown, { seq: 1 }))).error).toBeUndefined();
    }
  });

  it('carry arguments and result as they were written, apart from what is only digests and sizes', async () => {
    const world = new World();
    const argumentsJson = '{"z":12345678901234567890,"a":1.50}';
    world.reply = () => ({ kind: 'ran', result_json: '{"content":[],"n":1e400}', is_error: false });
    await world.propose('srv__read', { argumentsJson }).ended;
    const [proposed, ended] = [eventOf(world, 'call.proposed'), eventOf(world, 'call.ended')];
    expect(proposed?.payload).toEqual({ member: 'arguments', json: argumentsJson });
    expect(ended?.payload).toEqual({ member: 'result', json: '{"content":[],"n":1e400}' });
    expect(dataOf(proposed)).toEqual({
      tool: 'srv__read',
      arguments_digest: argumentsDigest(argumentsJson),
      arguments_bytes: argumentsJson.length,
    });
  });

  it('leave out a result that is too long, and say so', async () => {
    const world = new World();
    const text = 'x'.repeat(70_000);
    world.reply = () => ({ kind: 'ran', result_json: `{"content":["${text}"]}`, is_error: false });
    await world.propose().ended;
    expect(eventOf(world, 'call.ended')?.payload).toBeUndefined();
    expect(dataOf(eventOf(world, 'call.ended'))).toMatchObject({ result_truncated: true });
  });

  it('say that a human is asked and what came of it', async () => {
    const world = new World();
    const { handle, approvalId } = await world.waiting();
    expect(world.noted.at(-1)).toBe('call.approval_required');
    world.settle(approvalId, 'approved');
    await handle.ended;
    expect(world.noted).toEqual([
      'call.proposed',
      'call.decided require_approval',
      'call.approval_required',
      'call.approval_settled approved',
      'call.decided allow',
      'call.dispatched',
      'call.ended completed',
    ]);
  });

  it.each([
    ['rejected', 'approval_rejected'],
    ['expired', 'approval_timeout'],
  ] as const)('say that an approval was %s', async (status, outcome) => {
    const world = new World();
    const { handle, approvalId } = await world.waiting();
    world.settle(approvalId, status);
    await handle.ended;
    expect(world.noted.slice(-2)).toEqual([`call.approval_settled ${status}`, `call.ended ${outcome}`]);
  });

  it('say that the question of a cancelled call ended with it', async () => {
    const world = new World();
    const { handle } = await world.waiting();
    handle.cancel();
    await handle.ended;
    expect(world.noted.slice(-2)).toEqual(['call.approval_settled cancelled', 'call.ended cancelled']);
  });

  it('are those of one call where a retry joins', async () => {
    const world = new World();
    const { handle, approvalId } = await world.waiting();
    const retry = world.propose('srv__write');
    await settle();
    world.settle(approvalId, 'approved');
    await Promise.all([handle.ended, retry.ended]);
    expect(new Set(world.events.map(({ event }) => event.call_id))).toEqual(new Set([handle.callId]));
    expect(world.noted.filter((it) => it.startsWith('call.ended'))).toHaveLength(1);
    expect(world.noted.filter((it) => it === 'call.proposed')).toHaveLength(1);
  });

  it('name no policy and no cause, and nothing of a tool that the caller may not discover', async () => {
    const world = new World();
    world.decideWith = () => denied('policy_denied');
    await world.propose().ended;
    expect(world.noted).toEqual(['call.proposed', 'call.decided deny', 'call.ended policy_denied']);
    world.decideWith = () => denied('unknown_tool');
    await world.propose().ended;
    await world.propose('srv__nothing').ended;
    const hidden = world.noted.slice(3);
    expect(hidden).toEqual([
      'call.proposed',
      'call.ended unknown_tool',
      'call.proposed',
      'call.ended unknown_tool',
    ]);
    const shapes = world.events.slice(3).map(({ event }) => Object.keys(dataOf(event)));
    expect(shapes.slice(0, 2)).toEqual(shapes.slice(2));
    expect(JSON.stringify(world.events)).not.toContain('because');
  });

  it('are one for a call that a limit refuses', async () => {
    const world = new World();
    world.callLimits = { refusal: () => ({ outcome: 'rate_limited', retryAfterMs: 1 }) };
    await world.propose().ended;
    expect(world.noted).toEqual(['call.ended rate_limited']);
  });

  it('show ten notes of progress a second, whether or not the caller asked for them', async () => {
    const world = new World();
    let finish = (): void => undefined;
    world.reply = () =>
      new Promise((resolve) => {
        finish = () => resolve({ kind: 'ran', result_json: '{"content":[]}', is_error: false });
      });
    const handle = world.propose();
    await settle();
    for (let n = 0; n < 50; n += 1) {
      world.sayProgress(handle.callId, `{"progress":${n},"total":50,"message":"secret"}`);
      await world.clock.advance(20);
    }
    finish();
    await handle.ended;
    const progress = world.events.filter(({ event }) => event.type === 'call.progress');
    expect(progress).toHaveLength(10);
    expect(dataOf(progress[1]?.event)).toEqual({ progress: 5, total: 50 });
    expect(progress[1]?.event.payload).toEqual({ member: 'message', json: '"secret"' });
    expect(world.runs[0]?.call.wants_progress).toBe(true);
  });

  it.each([
    ['"planted-secret"', '{"a":"planted-secret"}', {}],
    ['["planted-secret"]', '3', { total: 3 }],
    ['-1.5e3', `1${'0'.repeat(32)}`, { progress: -1500 }],
    ['true', 'null', {}],
  ])('carry of a progress %s of %s what is a number and no more', async (progress, total, shown) => {
    const world = new World();
    let finish = (): void => undefined;
    world.reply = () =>
      new Promise((resolve) => {
        finish = () => resolve({ kind: 'ran', result_json: '{"content":[]}', is_error: false });
      });
    const handle = world.propose();
    await settle();
    world.sayProgress(handle.callId, `{"progress":${progress},"total":${total}}`);
    finish();
    await handle.ended;
    expect(dataOf(eventOf(world, 'call.progress'))).toEqual(shown);
  });

  it('keep waiting calls and their run apart from a decision that nobody made', async () => {
    const world = new World();
    world.decideWith = needsHuman;
    world.limitedBy = 5;
    await world.propose('srv__write').ended;
    expect(world.noted).toEqual([
      'call.proposed',
      'call.decided require_approval',
      'call.ended rate_limited',
    ]);
  });
});
