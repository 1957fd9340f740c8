import { EventSchema } from '@ag-ui/core/schemas';
import type { EventType } from '@uar/contracts';
import { describe, expect, it } from 'vitest';
import type { ShownEvent } from '../event/shown-events.js';
import { aguiEvents, aguiStart } from './agui-events.js';

const runId = `run_${'1'.repeat(32)}`;
const callId = `call_${'2'.repeat(32)}`;

function shown(type: EventType, data: object | string): ShownEvent {
  const dataJson = typeof data === 'string' ? data : JSON.stringify(data);
  return { id: 7, type, at: 1_700_000_000_000, runId, callId, dataJson };
}

const digest = `sha256:${'a'.repeat(64)}`;
const ended = {
  tool: 'srv__echo',
  outcome: 'completed',
  effect: 'ran',
  success: true,
  duration_ms: 3,
  error: null,
};
const one: Readonly<Record<EventType, ShownEvent>> = {
  'run.opened': shown('run.opened', { status: 'active', conversation_id: 'c', expires_at: '' }),
  'run.changed': shown('run.changed', { status: 'active' }),
  'run.ended': shown('run.ended', { status: 'completed' }),
  'call.proposed': shown(
    'call.proposed',
    `{"tool":"srv__echo","arguments_digest":"${digest}","arguments":{"b":1.50}}`,
  ),
  'call.decided': shown('call.decided', { kind: 'allow', policy_version: 'v' }),
  'call.approval_required': shown('call.approval_required', { approval_id: 'a', tool: 't', quorum: 1 }),
  'call.approval_settled': shown('call.approval_settled', { approval_id: 'a', status: 'approved' }),
  'call.dispatched': shown('call.dispatched', { host: 'mcp' }),
  'call.progress': shown('call.progress', { progress: 1 }),
  'call.ended': shown('call.ended', `{"tool":"t","outcome":"completed","result":{"content":[],"n":1e400}}`),
  'server.state': shown('server.state', { server: 's', status: 'ready' }),
  'catalog.changed': shown('catalog.changed', { version: 'v', changed: 1, removed: 0 }),
  gap: shown('gap', { dropped: 3 }),
};

describe('the AG-UI projection', () => {
  it.each(Object.entries(one))('makes valid events of %s', (_type, event) => {
    const made = aguiEvents(event);
    expect(made.length).toBeGreaterThan(0);
    for (const each of made) expect(EventSchema.safeParse(each).error).toBeUndefined();
  });

  it('names the conversation as the thread, and the run without one', () => {
    expect(aguiEvents(one['run.opened'])).toMatchObject([{ type: 'RUN_STARTED', threadId: 'c', runId }]);
    expect(aguiEvents(one['run.ended'])).toMatchObject([{ type: 'RUN_FINISHED', threadId: runId, runId }]);
    expect(EventSchema.safeParse(aguiStart(runId, 1)).error).toBeUndefined();
  });

  it.each([
    ['cancelled', { type: 'RUN_FINISHED', outcome: { type: 'cancelled' } }],
    ['expired', { type: 'RUN_ERROR', code: 'expired' }],
  ])('ends a run that was %s as what it is', (status, expected) => {
    const made = aguiEvents(shown('run.ended', { status }));
    expect(made).toMatchObject([expected]);
    expect(EventSchema.safeParse(made[0]).error).toBeUndefined();
  });

  it('shows a call from start to result, argument and result texts unchanged', () => {
    const call = [...aguiEvents(one['call.proposed']), ...aguiEvents(one['call.ended'])];
    expect(call.map(({ type }) => type)).toEqual([
      'TOOL_CALL_START',
      'TOOL_CALL_ARGS',
      'TOOL_CALL_END',
      'TOOL_CALL_RESULT',
    ]);
    expect(new Set(call.map((it) => it['toolCallId']))).toEqual(new Set([callId]));
    expect([call[1]?.['delta'], call[3]?.['content']]).toEqual(['{"b":1.50}', '{"content":[],"n":1e400}']);
  });

  it('says how a call ended that has no result to show', () => {
    const refused = { ...ended, outcome: 'policy_denied', error: { code: 'policy_denied', message: 'no' } };
    const [made] = aguiEvents(shown('call.ended', refused));
    expect(JSON.parse(String(made?.['content']))).toMatchObject({ outcome: 'policy_denied' });
    const limited = aguiEvents(shown('call.ended', { ...ended, outcome: 'rate_limited' }));
    expect(limited).toMatchObject([{ type: 'CUSTOM', name: 'call.ended' }]);
  });
});
