import { createHash } from 'node:crypto';
import { keepCall, readKeptCall } from '@uar/contracts';
import { withBothBuses } from '@uar/testkit';
import { beforeAll, expect, it } from 'vitest';
import type { Bus } from '../bus.js';
import { recordedLog } from './recorded-log.fixture.js';
import { callId, keptCall, tenant } from './values.fixture.js';

const { log } = recordedLog();
const megabyte = 1024 * 1024;
const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Not the same in any two places, with characters of one to four bytes across every boundary. */
function longText(bytes: number): string {
  const pieces: string[] = [];
  for (let n = 0, length = 0; length < bytes; n += 1) {
    const piece = `${n}é€😀"\\`;
    pieces.push(piece);
    length += Buffer.byteLength(piece);
  }
  return pieces.join('');
}

withBothBuses('sizes', (connect) => {
  let gateway: Bus;
  let text = '';
  let kept = 0;

  beforeAll(async () => {
    gateway = await connect('gateway', { log });
    const ledger = await connect('approval-service', { log });
    ledger.answer(readKeptCall, () => ({ kind: 'found', principal: 'p', view_json: text }));
    ledger.answer(keepCall, () => {
      kept += 1;
      return { kept: true };
    });
    await ledger.flush();
  });

  it.each([100, 511 * 1024, 513 * 1024, megabyte, 8 * megabyte])(
    'brings an answer of %i bytes whole',
    async (bytes) => {
      text = longText(bytes);
      const reply = await gateway.ask(readKeptCall, keptCall(1));
      const value = reply.kind === 'answered' ? reply.value : undefined;
      expect(value?.kind === 'found' && digest(value.view_json)).toBe(digest(text));
    },
  );

  it('brings several long answers at once, each to its asker', async () => {
    text = longText(2 * megabyte);
    const replies = await Promise.all([1, 2, 3, 4].map((n) => gateway.ask(readKeptCall, keptCall(n))));
    const lengths = replies.map((reply) => reply.kind === 'answered' && reply.value.kind === 'found');
    expect(lengths).toEqual([true, true, true, true]);
  });

  it('reports an answer over the cap of the answering end', async () => {
    text = 'x'.repeat(13 * megabyte);
    expect(await gateway.ask(readKeptCall, keptCall(1))).toMatchObject({
      fault: 'too_large',
      beforeDispatch: false,
    });
    text = '';
    expect(await gateway.ask(readKeptCall, keptCall(1))).toMatchObject({ kind: 'answered' });
  });

  it('reports an answer over the cap of the asking end, whole or in parts', async () => {
    const modest = await connect('gateway', { log, maxAnswerBytes: 400 * 1024 });
    for (const bytes of [450 * 1024, megabyte]) {
      text = 'x'.repeat(bytes);
      expect(await modest.ask(readKeptCall, keptCall(1))).toMatchObject({ fault: 'too_large' });
    }
    text = 'x';
    expect(await modest.ask(readKeptCall, keptCall(1))).toMatchObject({ kind: 'answered' });
  });

  it('does not send an ask that is larger than a message may be', async () => {
    const ask = { tenant, call_id: callId(1), principal: 'p', expires_at: 1 };
    const fits = await gateway.ask(keepCall, { ...ask, view_json: 'x'.repeat(3 * megabyte) });
    const tooLarge = await gateway.ask(keepCall, { ...ask, view_json: 'x'.repeat(4 * megabyte) });
    expect(fits).toMatchObject({ kind: 'answered' });
    expect(tooLarge).toMatchObject({ fault: 'too_large', beforeDispatch: true });
    expect(kept).toBe(1);
  });

  it('shares nothing: what the asker does to its ask later is not seen by the handler', async () => {
    const receiver = await connect('approval-service', { log });
    const ask = { ...keptCall(7) };
    const reply = gateway.ask(readKeptCall, ask);
    ask.call_id = callId(8);
    expect(await reply).toMatchObject({ kind: 'answered' });
    await receiver.close();
  });
});
