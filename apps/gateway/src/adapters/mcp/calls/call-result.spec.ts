import { CallId, Outcome, outcomes, RunId } from '@uar/contracts';
import { stringifyWithText } from '@uar/json-text';
import { describe, expect, it } from 'vitest';
import type { EndedCall } from '../../../domain/call/proposed-call.js';
import { callResult, RpcError } from './call-result.js';

function ended(outcome: Outcome, more: Partial<EndedCall> = {}): EndedCall {
  return {
    kind: 'ended',
    callId: CallId.parse(`call_${'0'.repeat(32)}`),
    runId: RunId.parse(`run_${'0'.repeat(16)}`),
    toolName: 'a__b',
    decision: null,
    approval: null,
    durationMs: 1,
    outcome,
    message: outcomes[outcome].text,
    intent: null,
    receipt: Promise.resolve(null),
    ...more,
  };
}

function thrown(call: EndedCall): RpcError {
  try {
    callResult(call);
  } catch (error) {
    if (error instanceof RpcError) return error;
  }
  throw new Error('no JSON-RPC error was thrown');
}

describe('callResult', () => {
  it('adds nothing but io.uar/call to a result', () => {
    const result = '{"content":[],"big":9007199254740993,"_meta":{"x":{"keep":false}},"isError":false}';
    const { text } = callResult(ended('completed', { resultJson: result }));
    expect(text).toMatch(
      /^\{"content":\[\],"big":9007199254740993,"_meta":\{"x":\{"keep":false\},"io.uar\/call":\{/,
    );
    expect(text).toMatch(/\},"isError":false\}$/);
    expect(JSON.parse(text)).toMatchObject({
      _meta: { 'io.uar/call': { outcome: 'completed', effect: 'ran' } },
    });
  });

  it("passes an upstream's own code, message and data on", () => {
    const upstreamError = { code: -32050, message: 'no luck', dataJson: '{"n":12345678901234567890}' };
    const error = thrown(ended('upstream_error', { upstreamError }));
    expect([error.code, error.message]).toEqual([-32050, 'no luck']);
    expect(stringifyWithText(error.data)).toContain('"upstream":{"n":12345678901234567890}');
    expect(error.data).toMatchObject({
      'io.uar/call': { outcome: 'upstream_error', effect: 'may_have_run' },
    });
  });

  it('gives every outcome the form of the table, and shows a receipt only where an intent existed', () => {
    const intent = { seq: 7, hash: `sha256:${'a'.repeat(64)}` };
    for (const outcome of Outcome.options) {
      const call = ended(outcome, {
        intent,
        ...(outcomes[outcome].mcp.kind === 'result' && { resultJson: '{}' }),
      });
      const row = outcomes[outcome].mcp;
      const shown = { outcome, effect: outcomes[outcome].effect, receipt: intent };
      if (row.kind === 'json_rpc_error') {
        expect(thrown(call)).toMatchObject({ code: row.code, data: { 'io.uar/call': shown } });
      } else {
        const form = JSON.parse(callResult(call).text) as { isError?: boolean };
        expect(form).toMatchObject({ _meta: { 'io.uar/call': shown } });
        expect(form.isError).toBe(row.kind === 'result' ? undefined : true);
      }
    }
    expect(callResult(ended('completed', { resultJson: '{}' })).text).not.toContain('receipt');
  });
});
