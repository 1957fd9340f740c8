import { createHash } from 'node:crypto';
import { keepCall, verifyReceipts } from '@uar/contracts';
import { withBothBuses } from '@uar/testkit';
import { beforeAll, expect, it } from 'vitest';
import type { Bus } from '../bus.js';
import { recordedLog } from './recorded-log.fixture.js';
import { callId, tenant } from './values.fixture.js';

const { log } = recordedLog();
const head = `sha256:${'0'.repeat(64)}`;
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
    ledger.answer(verifyReceipts, () => ({ ok: true, length: 0, head, problem: text }));
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
      const reply = await gateway.ask(verifyReceipts, { tenant });
      expect(reply.kind === 'answered' && digest(reply.value.problem ?? '')).toBe(digest(text));
    },
  );

  it('brings several long answers at once, each to its asker', async () => {
    text = longText(2 * megabyte);
    const replies = await Promise.all([1, 2, 3, 4].map(() => gateway.ask(verifyReceipts, { tenant })));
    const texts = replies.map((reply) => reply.kind === 'answered' && reply.value.problem);
    expect(texts.map((each) => each === text)).toEqual([true, true, true, true]);
  });

  it('reports an answer over the cap of the answering end', async () => {
    const patient = await connect('gateway', { log, maxAnswerBytes: 64 * megabyte });
    text = 'x'.repeat(13 * megabyte);
    const reply = await patient.ask(verifyReceipts, { tenant });
    expect(reply).toMatchObject({ fault: 'too_large', beforeDispatch: false });
    text = '';
    expect(await patient.ask(verifyReceipts, { tenant })).toMatchObject({ kind: 'answered' });
  });

  it('reports an answer over the cap of the asking end, whole or in parts', async () => {
    const modest = await connect('gateway', { log, maxAnswerBytes: 400 * 1024 });
    for (const bytes of [450 * 1024, megabyte]) {
      text = 'x'.repeat(bytes);
      expect(await modest.ask(verifyReceipts, { tenant })).toMatchObject({ fault: 'too_large' });
    }
    text = 'x';
    expect(await modest.ask(verifyReceipts, { tenant })).toMatchObject({ kind: 'answered' });
  });

  it('does not send an ask that is larger than a message may be', async () => {
    const ask = { tenant, call_id: callId(1), principal: 'p', expires_at: 1 };
    const fits = await gateway.ask(keepCall, { ...ask, view_json: 'x'.repeat(3 * megabyte) });
    const tooLarge = await gateway.ask(keepCall, { ...ask, view_json: 'x'.repeat(4 * megabyte) });
    expect(fits).toMatchObject({ kind: 'answered' });
    expect(tooLarge).toMatchObject({ fault: 'too_large', beforeDispatch: true });
    expect(kept).toBe(1);
  });
});
