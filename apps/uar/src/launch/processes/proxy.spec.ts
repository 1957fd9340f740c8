import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '@uar/config';
import { proxyPlan } from './proxy.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'uar-proxy-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function plan(env: Record<string, string> = {}, wanted = true) {
  return proxyPlan(env, loadConfig({ env, cwd: folder, file: null }), wanted);
}

const listen = (host: string, port: number) => ({ kind: 'ok', proxy: { listen: { host, port } } });
const none = { kind: 'ok', proxy: undefined };

describe('the plan for the dev proxy', () => {
  it('is the standard port, a free one beside a free gateway port, or what was set', () => {
    expect(plan()).toEqual(listen('127.0.0.1', 8088));
    expect(plan({ UAR_PORT: '0' })).toEqual(listen('127.0.0.1', 0));
    expect(plan({ UAR_PORT: '0', UAR_PROXY_LISTEN: '[::1]:9' })).toEqual(listen('::1', 9));
  });

  it.each(['8088', '0.0.0.0:1', '192.168.0.1:80', 'localhost', '127.0.0.1:70000', 'evil.example:80'])(
    'is a problem for %s',
    (text) => {
      expect(plan({ UAR_PROXY_LISTEN: text })).toMatchObject({ kind: 'bad' });
    },
  );

  it('is none when it is not wanted, and none that could not serve, which is said', () => {
    expect(plan({}, false)).toEqual(none);
    expect(plan({ UAR_HOST: '192.0.2.1' })).toMatchObject({
      ...none,
      note: expect.stringContaining('192.0.2.1'),
    });
    expect(plan({ KUBERNETES_SERVICE_HOST: '10.0.0.1' })).toMatchObject({
      ...none,
      note: expect.any(String),
    });
    const jwks = { UAR_JWKS_URL: 'https://i.example/k', UAR_JWT_ISSUER: 'i', UAR_JWT_AUDIENCE: 'u' };
    expect(plan(jwks)).toMatchObject({ ...none, note: expect.any(String) });
    expect(plan({ ...jwks, UAR_PROFILE: 'server-full' })).toEqual(none);
  });
});
