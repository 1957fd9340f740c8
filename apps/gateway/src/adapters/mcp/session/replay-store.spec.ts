import { describe, expect, it } from 'vitest';
import { ReplayStore, type SessionReplay } from './replay-store.js';

const wide = { events: 1_000, bytes: 1_000_000 };

function storeOf(limits: { perSession?: object; total?: object; keptMs?: number }): ReplayStore {
  return new ReplayStore({
    perSession: { ...wide, ...limits.perSession },
    total: { ...wide, ...limits.total },
    keptMs: limits.keptMs ?? 60_000,
  });
}

function keep(replay: SessionReplay, stream: number, seqs: readonly number[], data = 'x'): void {
  for (const seq of seqs) replay.keep({ stream, seq, data, isLast: false });
}

const seqs = (replay: SessionReplay, stream: number, after = 0) =>
  replay.after(stream, after).map(({ seq }) => seq);

describe('ReplayStore', () => {
  it('gives the events of one stream after a place, and of no other', () => {
    const replay = storeOf({}).open();
    keep(replay, 1, [1, 2]);
    keep(replay, 2, [1]);
    keep(replay, 1, [3]);
    expect([seqs(replay, 1, 1), seqs(replay, 2), seqs(replay, 3)]).toEqual([[2, 3], [1], []]);
  });

  it('gives nothing of another session', () => {
    const store = storeOf({});
    const [one, other] = [store.open(), store.open()];
    keep(one, 1, [1]);
    expect(seqs(other, 1)).toEqual([]);
  });

  it('forgets the oldest of a session beyond its events, and beyond its bytes in UTF-8', () => {
    const counted = storeOf({ perSession: { events: 2 } }).open();
    keep(counted, 1, [1, 2, 3]);
    expect(seqs(counted, 1)).toEqual([2, 3]);
    const measured = storeOf({ perSession: { bytes: 8 } }).open();
    keep(measured, 1, [1, 2, 3], 'éé');
    expect(seqs(measured, 1)).toEqual([2, 3]);
    keep(measured, 1, [4], 'longer than everything');
    expect(seqs(measured, 1)).toEqual([]);
  });

  it('forgets the oldest of all sessions beyond the bounds of all', () => {
    const store = storeOf({ total: { bytes: 3 } });
    const [one, other] = [store.open(), store.open()];
    keep(one, 1, [1]);
    keep(other, 1, [1, 2]);
    keep(one, 1, [2]);
    expect([seqs(one, 1), seqs(other, 1), store.bytes]).toEqual([[2], [1, 2], 3]);
    other.clear();
    expect(store.bytes).toBe(1);
  });

  it('forgets what nobody came back for in time', () => {
    const store = storeOf({ keptMs: 1_000 });
    const replay = store.open();
    keep(replay, 1, [1]);
    store.sweep(Date.now() + 900);
    expect(seqs(replay, 1)).toEqual([1]);
    store.sweep(Date.now() + 1_100);
    expect([seqs(replay, 1), store.bytes]).toEqual([[], 0]);
  });

  it('keeps to its bounds and its order over many events', () => {
    const store = storeOf({ perSession: { events: 10 }, total: { events: 15 } });
    const [one, other] = [store.open(), store.open()];
    for (let seq = 1; seq <= 1_000; seq += 1) {
      keep(one, 1, [seq]);
      if (seq % 3 === 0) keep(other, 1, [seq / 3]);
    }
    const [ones, others] = [seqs(one, 1), seqs(other, 1)];
    expect([ones.length, others.length, store.bytes]).toEqual([10, 5, 15]);
    expect([ones[0], ones.at(-1), others.at(-1)]).toEqual([991, 1_000, 333]);
  });
});
