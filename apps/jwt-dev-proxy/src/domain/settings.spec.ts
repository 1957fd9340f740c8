import { describe, expect, it } from 'vitest';
import { parseEndpoint, parseUpstream } from './endpoint.js';
import { mergeTexts, readSettings } from './proxy-settings.js';

describe('settings', () => {
  it('take the flag over the variable over the default', () => {
    const env = { UAR_PROXY_SUB: 'from-env', UAR_PROXY_ROLES: 'a, b,', UAR_PROXY_TTL_SECS: '' };
    const read = readSettings(mergeTexts({ sub: 'from-flag' }, env));
    expect(read).toEqual({
      kind: 'settings',
      settings: { sub: 'from-flag', name: 'Local Dev', roles: ['a', 'b'], groups: [], ttl_secs: 300 },
    });
  });

  it('name an agent only where one is given', () => {
    const read = readSettings(mergeTexts({}, { UAR_PROXY_AGENT: 'helper' }));
    expect(read).toMatchObject({ kind: 'settings', settings: { sub: 'dev', agent: 'helper' } });
    expect(readSettings({})).not.toHaveProperty('settings.agent');
  });

  it('name scopes only where some are given', () => {
    const read = readSettings(mergeTexts({}, { UAR_PROXY_SCOPES: 'tools:read, admin' }));
    expect(read).toMatchObject({ settings: { scopes: ['tools:read', 'admin'] } });
    expect(readSettings({})).not.toHaveProperty('settings.scopes');
    expect(readSettings({ scopes: ',' })).toMatchObject({ problem: expect.stringContaining('--scopes') });
  });

  it('refuse a life beyond 300 s, a tenant that is none, and say which flag', () => {
    for (const ttlSecs of ['0', '301', '1.5', 'x', '-1', ''])
      expect(readSettings({ ttlSecs })).toMatchObject({
        kind: 'bad',
        problem: expect.stringContaining('--ttl-secs'),
      });
    expect(readSettings({ tenant: 'a/b' })).toMatchObject({ problem: expect.stringContaining('--tenant') });
    expect(readSettings({ agent: 'a b' })).toMatchObject({ problem: expect.stringContaining('--agent') });
    expect(readSettings({ sub: '' })).toMatchObject({ problem: expect.stringContaining('--sub') });
  });
});

describe('an endpoint', () => {
  it('is host and port', () => {
    expect(parseEndpoint('127.0.0.1:0')).toEqual({ host: '127.0.0.1', port: 0 });
    expect(parseEndpoint('[::1]:8088')).toEqual({ host: '::1', port: 8088 });
    for (const bad of ['', '8088', 'a', 'a:', ':1', 'a:99999', 'u@a:1', '::1:80', 'a:1/x', 'a b:1'])
      expect(parseEndpoint(bad)).toBeUndefined();
  });

  it('is an upstream without path, user or TLS', () => {
    expect(parseUpstream('http://localhost:1906/')).toEqual({ host: 'localhost', port: 1906 });
    for (const bad of [
      'https://localhost:1906',
      'http://localhost',
      'http://a:1/x',
      'http://u:p@a:1',
      'localhost:0',
    ])
      expect(parseUpstream(bad)).toBeUndefined();
  });
});
