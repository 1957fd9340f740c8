import { describe, expect, it } from 'vitest';
import { Presence, askEveryMs, type Sign } from './presence.js';

/** How many of these signs it takes until the gateway is gone; undefined: it never is. */
function goneAfter(signs: readonly Sign[]): number | undefined {
  const presence = new Presence();
  const index = signs.findIndex((sign) => presence.isGone('a', sign));
  return index === -1 ? undefined : index + 1;
}

const times = (count: number, sign: Sign): Sign[] => Array.from({ length: count }, () => sign);

describe('the presence of a gateway', () => {
  it('ends well within three seconds after the bus knows nobody of its name', () => {
    const asked = goneAfter(times(10, 'absent')) ?? Infinity;
    expect(asked).toBeGreaterThan(2);
    expect((asked + 1) * askEveryMs).toBeLessThan(2_500);
  });

  it('is believed for ten seconds of a gateway that only says nothing', () => {
    const asked = goneAfter(times(100, 'silent')) ?? 0;
    expect(asked * askEveryMs).toBe(10_000);
    expect(goneAfter([...times(24, 'silent'), 'present', ...times(24, 'silent')])).toBeUndefined();
  });

  it('starts anew with every answer, and with every silence in between', () => {
    expect(goneAfter([...times(3, 'absent'), 'present', ...times(3, 'absent')])).toBeUndefined();
    expect(goneAfter([...times(3, 'absent'), 'silent', ...times(3, 'absent')])).toBeUndefined();
  });

  it('is given more time where our own connection was lost', () => {
    expect(goneAfter([...times(3, 'absent'), 'unasked', ...times(8, 'absent')])).toBeUndefined();
    expect(goneAfter(['unasked', ...times(20, 'absent')])).toBe(13);
    expect(goneAfter(times(1_000, 'unasked'))).toBeUndefined();
  });

  it('is given more time by one who has just been started, but for those that come later', () => {
    const presence = new Presence();
    presence.keepOnly(['a']);
    const absent = (gateway: string) => presence.isGone(gateway, 'absent');
    expect(times(7, 'absent').some(() => absent('a'))).toBe(false);
    expect(absent('a')).toBe(true);
    presence.keepOnly(['a', 'b']);
    expect(times(3, 'absent').some(() => absent('b'))).toBe(false);
    expect(absent('b')).toBe(true);
  });

  it('is forgotten with the last call of the gateway', () => {
    const presence = new Presence();
    presence.keepOnly([]);
    for (const sign of times(3, 'absent')) presence.isGone('a', sign);
    presence.keepOnly(['b']);
    expect(presence.isGone('a', 'absent')).toBe(false);
  });
});
