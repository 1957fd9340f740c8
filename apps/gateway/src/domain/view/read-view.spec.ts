import { CallId, InstanceId, outcomes, RunId, type Outcome } from '@uar/contracts';
import { describe, expect, it } from 'vitest';
import type { EndedCall, PendingCall } from '../call/proposed-call.js';
import { callViewText, type NotKept } from './call-view.js';
import { holderOf, readView } from './read-view.js';

const callId = CallId.parse(`call_${'a'.repeat(32)}`);
const facts = {
  ...{ callId, runId: RunId.parse(`run_${'b'.repeat(32)}`), toolName: 'srv__job' },
  ...{ decision: null, approval: null, durationMs: 7 },
};
const pending: PendingCall = { kind: 'pending', ...facts };
const ended = (outcome: Outcome, more: Partial<EndedCall> = {}): EndedCall => ({
  ...{ kind: 'ended', ...facts, outcome, message: outcomes[outcome].text, intent: null },
  ...{ receipt: Promise.resolve(null), ...more },
});

describe('readView', () => {
  it('reads a call that has not ended', () => {
    const { runId, durationMs } = facts;
    const read = { callId, runId, durationMs, approval: null, ended: undefined };
    expect(readView(callViewText(pending))).toEqual(read);
  });

  it.each<[Outcome, Partial<EndedCall>]>([
    ['completed', { resultJson: '{"content":[],"odd":1.50,"big":12345678901234567890}' }],
    ['tool_error', { resultJson: '{"content":[],"isError":true}' }],
    ['upstream_error', { upstreamError: { code: -5, message: 'm', dataJson: '{"odd":1.50}' } }],
    ['upstream_error', { upstreamError: { code: -5, message: 'm' } }],
    ['upstream_error', {}],
    ['internal_fault', { faultId: 'fault_1' }],
    ['rate_limited', { retryAfterMs: 3 }],
    ['invalid_arguments', { details: { errors: [{ path: '/a', message: 'm' }] } }],
    ['cancelled', {}],
    ['transport_failure', {}],
  ])('reads of %s what was written of it', (outcome, more) => {
    expect(readView(callViewText(ended(outcome, more))).ended).toEqual({
      ...{ callId, outcome, message: outcomes[outcome].text, intent: null, ...more },
    });
  });

  it('finds no result where none was kept, and says so', () => {
    const text = callViewText(ended('completed', { resultJson: '{}' }), { withoutResult: true });
    const read = readView(text).ended;
    expect(read).not.toHaveProperty('resultJson');
    expect(read?.message).toBe('The result is not kept.');
  });

  it('finds where a result is held that was not kept, as far as that is said', () => {
    const gateway = InstanceId.parse('0123456789abcdef');
    const holder = (withoutResult: true | NotKept, outcome: Outcome = 'completed') =>
      holderOf(callViewText(ended(outcome, { resultJson: '{"gateway":"x"}' }), { withoutResult }));
    expect(holder({ bytes: 9, gateway })).toBe(gateway);
    expect(holder(true)).toBeUndefined();
    expect(holder({ bytes: 9, gateway }, 'timeout')).toBeUndefined();
    expect(holderOf(callViewText(pending))).toBeUndefined();
  });

  it.each(['', 'null', '[]', '{}', '{"call_id":"x"}', callViewText(pending).replace('"pending"', '"odd"')])(
    'does not take %j for a call',
    (text) => expect(() => readView(text)).toThrow(),
  );
});
