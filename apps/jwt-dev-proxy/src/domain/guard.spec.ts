import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forwardedHeaders } from './forwarded-headers.js';
import { guard } from './guard.js';
import type { RequestHead } from './request-head.js';

const hosts = new Set(['localhost:8088', '127.0.0.1:8088', '[::1]:8088']);

function head(
  changes: Partial<RequestHead> & { with?: Record<string, string | string[]> } = {},
): RequestHead {
  const { with: more = {}, ...rest } = changes;
  const headers: Record<string, string | string[]> = { Host: '127.0.0.1:8088', ...more };
  const rawHeaders = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().flatMap((one) => [name, one]),
  );
  return { method: 'GET', target: '/api/tools', upgrade: false, rawHeaders, ...rest };
}

function statusOf(changes: Parameters<typeof head>[0]): number | undefined {
  return guard(head(changes), hosts)?.status;
}

describe('the guard', () => {
  it('lets programs and our own console through', () => {
    const json = { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': '2' };
    const passing: Parameters<typeof head>[0][] = [
      {},
      { with: { Host: 'LOCALHOST:8088' } },
      { with: { Host: '[::1]:8088', Origin: 'http://localhost:8088', 'Sec-Fetch-Site': 'same-origin' } },
      { with: { 'Sec-Fetch-Site': 'none', Referer: 'http://127.0.0.1:8088/console?x' } },
      { method: 'POST', with: json },
      { method: 'POST', with: { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' } },
      { method: 'POST' },
      { method: 'DELETE', with: json },
      {
        upgrade: true,
        with: { Upgrade: 'WebSocket', Connection: 'Upgrade', Origin: 'http://127.0.0.1:8088' },
      },
    ];
    for (const changes of passing) expect(statusOf(changes)).toBeUndefined();
  });

  it('lets a vote by form through from our own page, and such a form from nowhere else', () => {
    const form = (target: string, more: Record<string, string>) =>
      statusOf({
        method: 'POST',
        target,
        with: { 'Content-Type': 'application/x-www-form-urlencoded', 'Content-Length': '2', ...more },
      });
    const own = { Origin: 'http://127.0.0.1:8088', 'Sec-Fetch-Site': 'same-origin' };
    expect(form('/approvals/appr_1', own)).toBeUndefined();
    expect(form('/approvals/appr_1', {})).toBe(415);
    expect(form('/approvals/appr_1', { Origin: 'null' })).toBe(403);
    expect(form('/approvals/appr_1', { Origin: 'http://evil.example' })).toBe(403);
    expect(form('/approvals/appr_1', { ...own, 'Sec-Fetch-Site': 'same-site' })).toBe(403);
    expect(form('/api/uar/approvals/appr_1/decision', own)).toBe(415);
  });

  it('refuses what does not name this proxy: rebinding names, other ports, other addresses', () => {
    const names = [
      'evil.example:8088',
      'evil.example',
      '127.0.0.1',
      'localhost:80',
      '127.0.0.1:8089',
      '192.168.1.4:8088',
    ];
    const tricks = [
      '127.0.0.1:8088.evil.example',
      'localhost:8088@evil.example',
      '0.0.0.0:8088',
      '127.1:8088',
      '',
      ' ',
    ];
    for (const Host of [...names, ...tricks]) {
      expect(statusOf({ with: { Host } })).toBe(403);
      expect(statusOf({ upgrade: true, with: { Host, Upgrade: 'websocket' } })).toBe(403);
    }
    expect(statusOf({ with: { Host: ['127.0.0.1:8088', '127.0.0.1:8088'] } })).toBe(400);
    expect(statusOf({ rawHeaders: [] })).toBe(400);
  });

  it('refuses other origins, sites and pages', () => {
    const origins = [
      'https://evil.example',
      'null',
      'http://127.0.0.1:3000',
      'https://127.0.0.1:8088',
      'http://127.0.0.1:8088/',
      '',
    ];
    for (const Origin of origins) {
      expect(statusOf({ with: { Origin } })).toBe(403);
      expect(statusOf({ upgrade: true, with: { Origin, Upgrade: 'websocket' } })).toBe(403);
    }
    for (const site of ['cross-site', 'same-site', 'unknown'])
      expect(statusOf({ with: { 'Sec-Fetch-Site': site } })).toBe(403);
    for (const Referer of ['https://evil.example/', 'http://127.0.0.1:8088.evil.example/', 'about:blank'])
      expect(statusOf({ with: { Referer } })).toBe(403);
    expect(statusOf({ with: { Origin: ['http://127.0.0.1:8088', 'http://127.0.0.1:8088'] } })).toBe(400);
  });

  it('refuses bodies that a form or a simple request could carry', () => {
    const types = [
      'text/plain',
      'TEXT/PLAIN;charset=utf-8',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'text/plain, application/json',
      ' ',
    ];
    for (const type of types)
      expect(statusOf({ method: 'POST', with: { 'Content-Type': type, 'Content-Length': '2' } })).toBe(415);
    expect(statusOf({ method: 'POST', with: { 'Content-Length': '2' } })).toBe(415);
    expect(statusOf({ method: 'POST', with: { 'Transfer-Encoding': 'chunked' } })).toBe(415);
  });

  it('refuses methods, targets and upgrades that the gateway has no use for', () => {
    for (const method of ['TRACE', 'CONNECT', 'PROPFIND', 'get']) expect(statusOf({ method })).toBe(405);
    for (const target of ['http://evil.example/', '*', '', 'evil.example:80'])
      expect(statusOf({ target })).toBe(400);
    expect(statusOf({ upgrade: true, with: { Upgrade: 'h2c' } })).toBe(400);
    expect(statusOf({ upgrade: true, method: 'POST', with: { Upgrade: 'websocket' } })).toBe(400);
    for (const method of ['GET', 'DELETE', 'OPTIONS'])
      expect(
        statusOf({ method, with: { 'Transfer-Encoding': 'chunked', 'Content-Type': 'application/json' } }),
      ).toBe(400);
  });
});

describe('forwarded headers', () => {
  const added = { host: '127.0.0.1:1906', token: 'ours' };

  it('are an allow-list with our token', () => {
    const sent = head({
      with: {
        Authorization: ['Bearer theirs', 'Basic x'],
        'X-Forwarded-For': '1.2.3.4',
        'X-User': 'root',
        'X-Request-Id': 'r1',
        Cookie: 'a=b',
        Origin: 'http://127.0.0.1:8088',
        'Mcp-Session-Id': 's1',
        Accept: 'text/event-stream',
        Forwarded: 'for=1.2.3.4',
        Expect: '100-continue',
      },
    });
    expect(forwardedHeaders(sent, added)).toEqual({
      host: '127.0.0.1:1906',
      authorization: 'Bearer ours',
      connection: 'keep-alive',
      accept: 'text/event-stream',
      'mcp-session-id': 's1',
      'x-request-id': 'r1',
    });
  });

  it('leave out whatever Connection names, and never our token', () => {
    const named = { Connection: 'close, Authorization, MCP-Session-Id', 'Mcp-Session-Id': 's1' };
    expect(forwardedHeaders(head({ with: named }), added)).toEqual({
      host: '127.0.0.1:1906',
      authorization: 'Bearer ours',
      connection: 'keep-alive',
    });
  });

  it('never carry a client authorization, whatever else is sent', () => {
    const name = fc.constantFrom(
      'Authorization',
      'AUTHORIZATION',
      'Connection',
      'X-User',
      'Host',
      'Accept',
      '__proto__',
    );
    fc.assert(
      fc.property(
        fc.array(fc.tuple(name, fc.constantFrom('Bearer theirs', 'authorization', 'x'))),
        (pairs) => {
          const headers = forwardedHeaders(head({ rawHeaders: pairs.flat() }), added);
          expect(headers['authorization']).toBe('Bearer ours');
          expect(headers['host']).toBe('127.0.0.1:1906');
          expect(headers).not.toHaveProperty('x-user');
        },
      ),
    );
  });
});
