import { getEventListeners } from 'node:events';
import {
  endApproval,
  keepCall,
  readGovernanceStatus,
  readKeptCall,
  readLedgerStatus,
  TenantId,
  verifyReceipts,
  writeIntent,
  type CallId,
} from '@uar/contracts';
import { withBothBuses } from '@uar/testkit';
import { beforeAll, expect, it } from 'vitest';
import type { AskContext, Bus } from '../bus.js';
import { recordedLog } from './recorded-log.fixture.js';
import { approvalId, blockFor, callId, gate, intent, keptCall, tenant } from './values.fixture.js';

const { log, lines } = recordedLog();
const kept = { tenant, call_id: callId(1), principal: 'p', view_json: '{}', expires_at: 1 };

withBothBuses('asking', (connect) => {
  let gateway: Bus;
  const ran: string[] = [];
  const contexts: AskContext[] = [];
  const answering = gate();

  beforeAll(async () => {
    gateway = await connect('gateway');
    const ledger = await connect('approval-service', { log });
    ledger.answer(readLedgerStatus, (_ask, context) => {
      contexts.push(context);
      return { writable: true };
    });
    ledger.answer(readKeptCall, async ({ call_id }) => {
      ran.push(call_id);
      return { kind: 'found', principal: 'p', view_json: call_id };
    });
    ledger.answer(keepCall, () => {
      throw new Error('planted-secret of the ledger');
    });
    ledger.answer(writeIntent, () => ({ seq: 1, hash: 'no digest at all' }));
    ledger.answer(endApproval, () => gate().opened.then(() => ({ status: 'expired' })));
    ledger.answer(verifyReceipts, async (ask, { signal }) => {
      if (ask.tenant === tenant) {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        ran.push('aborted');
        // Both ends take the same moment for the deadline: an answer now could still win.
        await answering.opened;
      }
      return { ok: true, length: 0, head: `sha256:${'0'.repeat(64)}`, problem: ask.tenant };
    });
    await ledger.flush();
  });

  it('brings the answer', async () => {
    const reply = await gateway.ask(readLedgerStatus, {});
    expect(reply).toEqual({ kind: 'answered', value: { writable: true } });
  });

  it('tells the handler deadline and trace, and ignores a trace that is none', async () => {
    contexts.length = 0;
    const trace = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const now = Date.now();
    await gateway.ask(readLedgerStatus, {}, { trace, deadlineMs: 500 });
    await gateway.ask(readLedgerStatus, {}, { trace: 'x\r\nuar-deadline: 1', deadlineMs: 60_000 });
    expect(contexts.map((context) => context.trace)).toEqual([trace, undefined]);
    expect(contexts[0]?.deadlineAt).toBeGreaterThanOrEqual(now + 500);
    expect(contexts[0]?.deadlineAt).toBeLessThan(now + 1_500);
    expect(contexts[1]?.deadlineAt).toBeLessThan(Date.now() + readLedgerStatus.deadlineMs + 1);
  });

  it('knows fast that nobody answers', async () => {
    const started = performance.now();
    const reply = await gateway.ask(readGovernanceStatus, {});
    expect(reply).toMatchObject({ kind: 'fault', fault: 'no_responders' });
    expect(performance.now() - started).toBeLessThan(readGovernanceStatus.deadlineMs);
  });

  it('waits no longer than it was told to', async () => {
    const ask = { approval_id: approvalId, as: 'expired' } as const;
    const started = performance.now();
    const reply = await gateway.ask(endApproval, ask, { deadlineMs: 40 });
    expect(reply).toMatchObject({ fault: 'timed_out', beforeDispatch: false });
    expect(performance.now() - started).toBeLessThan(endApproval.deadlineMs);
  });

  it('lets the handler know when nobody waits any more', async () => {
    const reply = await gateway.ask(verifyReceipts, { tenant }, { deadlineMs: 40 });
    expect(reply).toMatchObject({ fault: 'timed_out' });
    await expect.poll(() => ran, { timeout: 10_000 }).toContain('aborted');
    answering.open();
  });

  it('sends nothing when the deadline has passed or the asker has already gone', async () => {
    const late = await gateway.ask(readLedgerStatus, {}, { deadlineMs: 0 });
    const gone = await gateway.ask(readLedgerStatus, {}, { signal: AbortSignal.abort() });
    expect([late, gone]).toMatchObject([
      { fault: 'timed_out', beforeDispatch: true },
      { fault: 'timed_out', beforeDispatch: true },
    ]);
  });

  it('stops waiting when aborted, and leaves no listener on the signal', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const ask = { approval_id: approvalId, as: 'expired' } as const;
    const pending = gateway.ask(endApproval, ask, { signal });
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    controller.abort();
    expect(await pending).toMatchObject({ fault: 'timed_out', beforeDispatch: false });
    await gateway.ask(readLedgerStatus, {}, { signal: new AbortController().signal });
    const other = new AbortController();
    await gateway.ask(readLedgerStatus, {}, { signal: other.signal });
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    expect(getEventListeners(other.signal, 'abort')).toHaveLength(0);
  });

  it.each([
    ['a member too many', { ...{ extra: 1 } }, 'extra'],
    ['a member of another form', { call_id: 'call_1' as CallId }, 'call_id'],
    ['a member that JSON loses', { call_id: undefined as unknown as CallId }, 'call_id'],
  ])(
    'says of an ask that does not fit its contract what does not, and runs nothing: %s',
    async (_, part, at) => {
      const reply = await gateway.ask(readKeptCall, { tenant, call_id: callId(1), ...part });
      const message = `the ask does not fit its contract at ${at}`;
      expect(reply).toMatchObject({ fault: 'bad_ask', beforeDispatch: true, message });
      expect(ran).not.toContain(callId(1));
    },
  );

  it('does not take an answer that does not fit its contract', async () => {
    expect(await gateway.ask(writeIntent, intent)).toMatchObject({
      fault: 'bad_answer',
      beforeDispatch: false,
    });
  });

  it('reports a handler that throws by an id that names one log line, and nothing else', async () => {
    const reply = await gateway.ask(keepCall, kept);
    expect(reply).toMatchObject({ fault: 'faulted', faultId: expect.stringMatching(/^fault_[0-9a-f]{16}$/) });
    expect(JSON.stringify(reply)).not.toContain('planted');
    const faultId = reply.kind === 'fault' ? reply.faultId : undefined;
    const logged = lines.filter((line) => faultId !== undefined && line.includes(faultId));
    expect(logged).toHaveLength(1);
    expect(logged[0]).toContain('planted-secret');
  });

  it('never runs an ask that arrives after its deadline', async () => {
    const late = gateway.ask(readKeptCall, keptCall(2), { deadlineMs: 20 });
    blockFor(60);
    expect(await late).toMatchObject({ fault: 'timed_out' });
    expect(await gateway.ask(readKeptCall, keptCall(3))).toMatchObject({ kind: 'answered' });
    expect(ran).toContain(callId(3));
    expect(ran).not.toContain(callId(2));
  });

  it('gives each of 10,000 concurrent asks its own answer', async () => {
    const tenants = Array.from({ length: 10_000 }, (_, n) => TenantId.parse(`t${n}`));
    const replies = await Promise.all(tenants.map((name) => gateway.ask(verifyReceipts, { tenant: name })));
    const seen = replies.map((reply) => (reply.kind === 'answered' ? reply.value.problem : reply));
    expect(seen).toEqual(tenants);
  });

  it('fails pending asks at once when its own connection closes, and sends none after', async () => {
    const asker = await connect('gateway');
    const pending = asker.ask(endApproval, { approval_id: approvalId, as: 'expired' });
    await asker.flush();
    await asker.close();
    expect(await pending).toMatchObject({ fault: 'disconnected', beforeDispatch: false });
    expect(asker.state()).toBe('closed');
    expect(await asker.ask(readLedgerStatus, {})).toMatchObject({
      fault: 'disconnected',
      beforeDispatch: true,
    });
  });
});
