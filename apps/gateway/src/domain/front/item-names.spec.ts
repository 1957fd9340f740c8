import { publicName } from '@uar/catalog';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  mayExpandTo,
  ofPublicName,
  ofUniqueUri,
  uniqueContents,
  uniqueDefinition,
  uniqueUri,
} from './item-names.js';

const server = fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,31}$/);
const hostile = fc.constantFrom(
  ...['ui://', 'uar+', 'uar+a+', 'ui://uar+a+', ':', '+', 'file:///', 'a', '{x}', '\n', '', 'UI://', 'é'],
);
const uri = fc.oneof(
  fc.webUrl(),
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.array(fc.oneof(hostile, fc.string({ maxLength: 3 })), { maxLength: 6 }).map((parts) => parts.join('')),
);

describe('unique URIs', () => {
  it('name their server and the URI that it knows, whatever these are', () => {
    fc.assert(
      fc.property(server, uri, (owner, own) => {
        expect(ofUniqueUri(uniqueUri(owner, own))).toEqual({ server: owner, uri: own });
      }),
    );
  });

  it('never meet', () => {
    fc.assert(
      fc.property(server, uri, server, uri, (one, its, other, theirs) => {
        fc.pre(one !== other || its !== theirs);
        expect(uniqueUri(one, its)).not.toBe(uniqueUri(other, theirs));
      }),
    );
  });

  it('are read from nothing but what they are written as', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          uri,
          fc.tuple(server, uri).map(([a, b]) => `uar+${a}+${b}`),
        ),
        (text) => {
          const read = ofUniqueUri(text);
          if (read !== undefined) expect(uniqueUri(read.server, read.uri)).toBe(text);
        },
      ),
    );
  });

  it('keep the scheme that hosts of MCP Apps look for', () => {
    expect(uniqueUri('maps', 'ui://widget/map.html')).toBe('ui://uar+maps+widget/map.html');
    expect(uniqueUri('fs', 'file:///etc/hosts')).toBe('uar+fs+file:///etc/hosts');
    expect(uniqueUri('fs', 'notes')).toBe('uar+fs+:notes');
    expect(uniqueUri('fs', '{scheme}://x')).toBe('uar+fs+:{scheme}://x');
  });
});

describe('definitions and results', () => {
  it('change in nothing but the name', () => {
    const text = '{ "uri":"file:///a", "name" : "x", "size": 1e3, "_meta":{"uri":"file:///b"} }';
    const shown = '{ "uri":"uar+fs+file:///a", "name" : "x", "size": 1e3, "_meta":{"uri":"file:///b"} }';
    expect(uniqueDefinition('fs', text, 'resources')).toBe(shown);
    expect(uniqueDefinition('fs', '{"name":"sum up"}', 'prompts')).toBe(
      `{"name":"${publicName('fs', 'sum up')}"}`,
    );
    expect(uniqueDefinition('fs', '{"uriTemplate":"f:{x}"}', 'templates')).toBe(
      '{"uriTemplate":"uar+fs+f:{x}"}',
    );
  });

  it('have every URI of their contents in the unique form, however it is written', () => {
    const result =
      '{"_meta":{"contents":[{"uri":"a:b"}]},"contents" : [ {"uri":"f\\u003aa","text":"uri"},7, {"x":1e2} ,{"uri":"f:b"}],"z":1}';
    expect(uniqueContents('fs', result)).toBe(
      '{"_meta":{"contents":[{"uri":"a:b"}]},"contents" : [ {"uri":"uar+fs+f:a","text":"uri"},7, {"x":1e2} ,{"uri":"uar+fs+f:b"}],"z":1}',
    );
    expect(uniqueContents('fs', '{"contents":7}')).toBe('{"contents":7}');
  });
});

describe('names of prompts', () => {
  it('lead back to their server, and to the raw name where that was kept', () => {
    expect(ofPublicName('fs__sum_up')).toEqual({ server: 'fs', id: 'sum_up' });
    expect(ofPublicName('fs__a__b')).toEqual({ server: 'fs', id: 'a__b' });
    expect(ofPublicName('fs__')).toEqual({ server: 'fs', id: '' });
    expect(ofPublicName('fs')).toBeUndefined();
    expect(ofPublicName('fs__sum up')).toBeUndefined();
    fc.assert(
      fc.property(server, fc.string(), (owner, raw) => {
        const read = ofPublicName(publicName(owner, raw));
        expect(read).toEqual(read?.id === undefined ? { server: owner } : { server: owner, id: raw });
      }),
    );
  });
});

describe('mayExpandTo', () => {
  it.each([
    ['file:///{path}', 'file:///a', true],
    ['file:///{+path}', 'file:///a/b', true],
    ['db://{table}/{id}', 'db://t/1', true],
    ['db://{table}/{id}/x', 'db://t/1', false],
    ['db://{a}b', 'db://b', true],
    ['ab{x}ba', 'aba', false],
    ['file:///a', 'file:///a', true],
    ['file:///a', 'file:///ab', false],
  ])('%s, %s', (template, text, expected) => {
    expect(mayExpandTo(template, text)).toBe(expected);
  });
});
