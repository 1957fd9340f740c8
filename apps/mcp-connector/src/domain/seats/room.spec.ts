import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { roomFor, type Held } from './room.js';

const bounds = { most: 6, share: 3 };
/** `a1` is idle since 1, `a` runs a call. */
const held = (...names: string[]): Held[] =>
  names.map((name) => ({
    principal: name.slice(0, 1),
    idleSince: name.length === 1 ? undefined : Number(name.slice(1)),
  }));
const room = (principal: string, ...names: string[]): string => {
  const found = roomFor(principal, held(...names), bounds);
  return found.kind === 'ends' ? `${found.one.principal}${found.one.idleSince}` : found.kind;
};

describe('room for one more session of a principal', () => {
  it('is there until its share is held, then its own longest idle ends', () => {
    expect(room('a', 'a', 'a')).toBe('kept');
    expect(room('a', 'a', 'a9', 'a5', 'b1')).toBe('a5');
    expect(room('a', 'a', 'a', 'a', 'b1')).toBe('full');
  });

  it('is made by whoever has the most, where all are held', () => {
    expect(room('d', 'a', 'a7', 'a8', 'b1', 'b2', 'c0')).toBe('a7');
    expect(room('d', 'a', 'a', 'a', 'b1', 'b2', 'c0')).toBe('b1');
    expect(room('d', 'a', 'a', 'a', 'b', 'b', 'c0')).toBe('c0');
    expect(room('d', 'a', 'a', 'a', 'b', 'b', 'c')).toBe('full');
  });

  it('is made by nobody for a principal who has as many', () => {
    expect(room('b', 'a', 'a', 'a4', 'b', 'b', 'c0')).toBe('a4');
    expect(room('b', 'a', 'a', 'c4', 'b', 'b9', 'c0')).toBe('b9');
    expect(room('b', 'a', 'a', 'c4', 'b', 'b', 'c0')).toBe('full');
  });

  it('is never made by a call that runs, nor beyond the share, and never withheld from the first while one is idle', () => {
    const session = fc.record({
      principal: fc.constantFrom('a', 'b', 'c'),
      idleSince: fc.option(fc.nat(9), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(session, { maxLength: 6 }), fc.constantFrom('a', 'b', 'c', 'd'), (all, who) => {
        const found = roomFor(who, all, bounds);
        const own = all.filter(({ principal }) => principal === who).length;
        if (found.kind === 'ends') expect(found.one.idleSince).toBeDefined();
        const grows = found.kind === 'kept' || (found.kind === 'ends' && found.one.principal !== who);
        if (grows) expect(own).toBeLessThan(bounds.share);
        const isFirst =
          own === 0 && (all.length < bounds.most || all.some((one) => one.idleSince !== undefined));
        if (isFirst) expect(found.kind).not.toBe('full');
      }),
    );
  });
});
