import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readArguments } from './argument-facts.js';
import type { FactName, Facts } from './extract.js';
import { hostOf, recipientDomains } from './hosts.js';
import { pathRoot } from './paths.js';

const extractors = { paths: ['/path', '/more/*'], hosts: ['/url'], recipients: ['/to'], amount: '/amount' };

function factsOf(value: unknown, factsRead: readonly FactName[] = [], declared = extractors): Facts {
  const read = readArguments(JSON.stringify(value), declared, new Set(factsRead));
  if (read.kind === 'rejected') throw new Error(read.problem);
  return read.facts;
}

describe('the root of a path', () => {
  it.each([
    ['/workspace/a', '/workspace'],
    ['/workspace/../etc/passwd', '/etc'],
    ['/workspace/./a/../../../../etc', '/etc'],
    ['//etc//passwd', '/etc'],
    ['/workspace/..', '/'],
    ['/', '/'],
    ['/workspace-evil/a', '/workspace-evil'],
    ['/workspace\\..\\..\\etc', '/workspace\\..\\..\\etc'],
    ['a/b', '.'],
    ['./a', '.'],
    ['a/../../b', '..'],
    ['..\\..\\etc', '..'],
    ['~/x', '~'],
    ['~root/x', '~root'],
    ['C:\\Windows', 'C:'],
    ['c:/Windows', 'C:'],
    ['file:///etc/passwd', '/etc'],
    ['FILE:///workspace/%2e%2e/etc', '/etc'],
    ['file:///workspace/..%2fetc', '/etc'],
    ['file:/etc/passwd', '/etc'],
  ])('%s is %s', (path, root) => {
    expect(pathRoot(path)).toBe(root);
  });

  it.each(['', '/a\0b', 'http://x/y', 'file://host/etc', 'file:///%00', 'file:///%ff'])(
    '%j has none',
    (path) => {
      expect(pathRoot(path)).toBeUndefined();
    },
  );

  it('is /workspace only for paths that stay there, however they are written', () => {
    const segment = fc.constantFrom('..', '.', '', 'a', 'workspace', 'etc');
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 8 }), (segments) => {
        const path = `/workspace/${segments.join('/')}`;
        const isInside =
          new URL(`file://${path}`).pathname.replace(/\/+/g, '/').split('/')[1] === 'workspace';
        // URL keeps empty segments, which `..` may then remove instead of a name: compare without them.
        fc.pre(!segments.includes(''));
        expect(pathRoot(path) === '/workspace').toBe(isInside);
      }),
    );
  });
});

describe('the host of a URL', () => {
  it.each([
    ['https://Docs.Acme.com./a', 'docs.acme.com'],
    ['https://docs.acme.com@evil.example/', 'evil.example'],
    ['https://evil.example#@docs.acme.com', 'evil.example'],
    ['http://0x7f.1/', '127.0.0.1'],
    ['http://2130706433', '127.0.0.1'],
    ['postgres://0177.0.0.1:5432/db', '127.0.0.1'],
    ['http://[::1]:80/', '[::1]'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['docs.acme.com:8443', 'docs.acme.com'],
    ['１２７.0.0.1', '127.0.0.1'],
  ])('%s is %s', (text, host) => {
    expect(hostOf(text)).toBe(host);
  });

  it.each([
    '',
    'no host',
    'https://',
    'a/b',
    'user@host',
    'https://a\\b',
    'http://[::1',
    'javascript:alert(1)',
    'https://a b/',
  ])('%j has none', (text) => {
    expect(hostOf(text)).toBeUndefined();
  });
});

describe('domains of recipients', () => {
  it('come from addresses, names with addresses, and lists of them', () => {
    expect(recipientDomains('a@Acme.com')).toEqual(['acme.com']);
    expect(recipientDomains('Ann <a@acme.com>, b@beta.example;c@acme.com')).toEqual([
      'acme.com',
      'beta.example',
      'acme.com',
    ]);
  });

  it.each(['', 'a', '@acme.com', 'a@', 'a@b@c', 'a@acme.com,', '"a@b"@c.example', 'x <a@b', 'a@b/c'])(
    '%j has none',
    (text) => {
      expect(recipientDomains(text)).toBeUndefined();
    },
  );
});

describe('facts', () => {
  it('are what the declared extractors find', () => {
    const value = {
      path: '/workspace/a',
      more: ['/tmp/x', '/workspace/b'],
      url: 'https://a.example',
      to: 'a@b.example',
      amount: '12.50',
    };
    expect(factsOf(value)).toEqual({
      pathRoots: ['/workspace', '/tmp'],
      hosts: ['a.example'],
      recipientDomains: ['b.example'],
      amount: '12.5',
      complete: true,
    });
  });

  it('are empty and complete where nothing is given', () => {
    const nothing = { pathRoots: [], hosts: [], recipientDomains: [], complete: true };
    expect(factsOf({})).toEqual(nothing);
    expect(factsOf({ more: [] })).toEqual(nothing);
  });

  it.each([
    ['a path that is a number', { path: 1 }],
    ['a path that is an object', { path: { a: '/workspace' } }],
    ['a path that is null', { path: null }],
    ['a path that is empty', { path: {} }],
    ['a path where a list is declared', { more: '/etc' }],
    ['null where a list is declared', { more: null }],
    ['a list where a path is declared', { path: ['/workspace'] }],
    ['a text that names no host', { url: 'nowhere special' }],
    ['a text without an address', { to: 'everybody' }],
    ['an amount that is no number', { amount: 'much' }],
    ['an amount with five decimals', { amount: 0.12345 }],
    ['two amounts', { amount: [1, 2] }],
  ])('are incomplete: %s', (_what, value) => {
    expect(factsOf(value).complete).toBe(false);
  });

  it('are incomplete when a policy reads what nobody extracts', () => {
    const nothing = { paths: [], hosts: [], recipients: [] };
    expect(factsOf({}, ['hosts'], { ...nothing, amount: '/amount' }).complete).toBe(false);
    expect(factsOf({}, ['amount'], { ...nothing, amount: '/amount' }).complete).toBe(true);
    expect(factsOf({}, ['pathRoots', 'hosts', 'recipientDomains', 'amount']).complete).toBe(true);
  });
});
