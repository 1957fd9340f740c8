import { ApprovalStatus } from '@uar/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { afterEvent, approvalSteps, statusAt, type ApprovalEvent } from './approval-steps.js';

const events: readonly ApprovalEvent[] = [
  'release',
  'reject',
  'consume',
  'spend',
  'cancel',
  'close_channel',
  'expire',
];
const anyEvents = fc.array(fc.constantFrom(...events), { maxLength: 12 });

function walk(path: readonly ApprovalEvent[]): ApprovalStatus[] {
  const seen: ApprovalStatus[] = ['pending'];
  for (const event of path) {
    const next = afterEvent(seen.at(-1) ?? 'pending', event);
    if (next !== undefined) seen.push(next);
  }
  return seen;
}

describe('the state machine of an approval', () => {
  it('knows a step for every event', () => {
    expect(Object.keys(approvalSteps).sort()).toEqual([...events].sort());
  });

  it('reaches every status and nothing else', () => {
    const reached = new Set(events.flatMap((first) => events.flatMap((second) => walk([first, second]))));
    expect([...reached].sort()).toEqual([...ApprovalStatus.options].sort());
  });

  it('never leaves an end', () => {
    fc.assert(
      fc.property(anyEvents, anyEvents, (before, after) => {
        const end = walk(before).at(-1) ?? 'pending';
        fc.pre(end !== 'pending' && end !== 'approved');
        for (const event of after) expect(afterEvent(end, event)).toBeUndefined();
      }),
    );
  });

  it('is consumed at most once, and only right after it was approved', () => {
    fc.assert(
      fc.property(anyEvents, (path) => {
        const seen = walk(path);
        const consumed = seen.indexOf('consumed');
        expect(seen.filter((status) => status === 'consumed').length).toBeLessThanOrEqual(1);
        if (consumed >= 0) expect(seen[consumed - 1]).toBe('approved');
      }),
    );
  });

  it('counts an open record as expired from the very moment on, and an ended one as what it ended as', () => {
    const record = (status: ApprovalStatus) => ({ status, draft: { expires_at: 1_000 } });
    expect(statusAt(record('pending'), 999)).toBe('pending');
    expect(statusAt(record('pending'), 1_000)).toBe('expired');
    expect(statusAt(record('approved'), 1_000)).toBe('expired');
    expect(statusAt(record('rejected'), 1_000)).toBe('rejected');
    expect(statusAt(record('consumed'), 1_000)).toBe('consumed');
  });
});
