import { describe, expect, it } from 'vitest';
import { LookAlikes } from './look-alikes.js';

const twinsOf = (all: LookAlikes, key: string, names: readonly string[]) =>
  names.filter((name) => all.isTwin(key, name));

describe('LookAlikes', () => {
  it.each<[string[], string[]]>([
    [['copy', 'сору'], ['сору']],
    [['echo', 'ech\u200bo'], ['ech\u200bo']],
    [
      ['echo', 'еcho', 'ecно'],
      ['еcho', 'ecно'],
    ],
    [['echo', '\uff45cho'], ['\uff45cho']],
    [['читать', 'писать', '読む', 'echo'], []],
    [['Echo', 'echo'], []],
  ])('finds in the list %j the twins %j', (names, twins) => {
    const all = new LookAlikes();
    expect(all.put('default/fs', names)).toEqual(new Set());
    expect(twinsOf(all, 'default/fs', names)).toEqual(twins);
  });

  it('finds twins on other servers of the tenant, whichever came first, until the other one leaves', () => {
    const all = new LookAlikes();
    all.put('default/evil', ['сору']);
    expect(all.isTwin('default/evil', 'сору')).toBe(false);
    expect(all.put('default/fs', ['copy'])).toEqual(new Set(['default/evil']));
    expect(all.isTwin('default/evil', 'сору')).toBe(true);
    expect(all.isTwin('default/fs', 'copy')).toBe(false);
    expect(all.put('default/more', ['copy'])).toEqual(new Set(['default/evil']));
    all.put('default/fs', []);
    expect(all.isTwin('default/evil', 'сору')).toBe(true);
    expect(all.put('default/more', ['other'])).toEqual(new Set(['default/evil']));
    expect(all.isTwin('default/evil', 'сору')).toBe(false);
  });

  it('does not take the same name on two servers for a twin, nor one of another tenant', () => {
    const all = new LookAlikes();
    all.put('acme/fs', ['copy']);
    all.put('default/a', ['сору']);
    expect(all.put('default/b', ['сору'])).toEqual(new Set(['default/a']));
    expect(twinsOf(all, 'default/a', ['сору'])).toEqual([]);
  });

  it('knows native tools in every tenant', () => {
    const all = new LookAlikes();
    all.put('acme/fs', ['filе_read']);
    expect(all.put('default/native', ['file_read'])).toEqual(new Set(['acme/fs']));
    expect(all.isTwin('acme/fs', 'filе_read')).toBe(true);
  });
});
