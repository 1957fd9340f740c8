import { ToolName } from '@uar/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { publicName } from './public-name.js';

const serverNames = fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,31}$/);
const rawNames = fc.oneof(
  fc.string({ maxLength: 120 }),
  fc.string({ unit: 'binary', maxLength: 120 }),
  fc.stringMatching(/^[A-Za-z0-9_.-]{0,90}$/),
);

describe('publicName', () => {
  it.each([
    ['time', 'now', 'time__now'],
    ['native', 'file_read', 'native__file_read'],
    ['a', 'x-Y_9', 'a__x-Y_9'],
    ['a', 'b'.repeat(61), `a__${'b'.repeat(61)}`],
  ])('keeps %s %s plain', (server, raw, expected) => {
    expect(publicName(server, raw)).toBe(expected);
  });

  it('ends a changed name in the digest of server and raw name', () => {
    expect(publicName('fs', 'read.file')).toMatch(/^fs__read_file_[0-9a-f]{8}$/);
    expect(publicName('fs', 'read.file')).not.toBe(publicName('fs', 'read/file'));
    expect(publicName('fs', '読む')).toMatch(/^fs_____[0-9a-f]{8}$/);
  });

  it('tells long names apart that agree in their first 60 characters', () => {
    const common = 'x'.repeat(60);
    const names = [publicName('a', `${common}one`), publicName('a', `${common}two`)];
    expect(new Set(names).size).toBe(2);
    expect(names.every((name) => name.length === 64)).toBe(true);
  });

  it('tells lone surrogates and the replacement character apart', () => {
    const names = ['\ud800', '\udfff', '\ufffd', '_'].map((raw) => publicName('a', raw));
    expect(new Set(names).size).toBe(4);
  });

  it('gives a valid name to every raw name, the same each time', () => {
    fc.assert(
      fc.property(serverNames, rawNames, (server, raw) => {
        const name = publicName(server, raw);
        expect(ToolName.safeParse(name).success).toBe(true);
        expect(publicName(server, raw)).toBe(name);
        expect(name.startsWith(`${server}__`)).toBe(true);
      }),
    );
  });

  it('gives distinct names to distinct raw names, in every order', () => {
    fc.assert(
      fc.property(serverNames, fc.uniqueArray(rawNames, { maxLength: 30 }), (server, raws) => {
        const forwards = raws.map((raw) => publicName(server, raw));
        const backwards = raws.toReversed().map((raw) => publicName(server, raw));
        expect(new Set(forwards).size).toBe(raws.length);
        expect(backwards.toReversed()).toEqual(forwards);
      }),
    );
  });

  it('never mixes two servers', () => {
    const tools = fc.tuple(serverNames, rawNames);
    fc.assert(
      fc.property(tools, tools, (one, two) => {
        fc.pre(one[0] !== two[0]);
        expect(publicName(...one)).not.toBe(publicName(...two));
      }),
    );
  });
});
