import { request } from 'node:http';
import { once } from 'node:events';
import { connect as tcpConnect } from 'node:net';
import { TenantEventView } from '@uar/contracts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { Gateway, until } from '../http-spec/gateway.fixture.js';

interface Frame {
  readonly id: string;
  readonly type: string;
  readonly [member: string]: unknown;
}

describe('event sockets', () => {
  let gateway: Gateway;
  let sockets: WebSocket[];
  beforeEach(async () => {
    gateway = await Gateway.start();
    sockets = [];
  });
  afterEach(async () => {
    for (const socket of sockets) socket.terminate();
    await gateway.stop();
  });

  const connect = (query = '', headers: Record<string, string> = {}): WebSocket => {
    const url = `${gateway.url.replace('http', 'ws')}/api/uar/events${query}`;
    const socket = new WebSocket(url, {
      headers: { authorization: `Bearer ${gateway.token()}`, ...headers },
    });
    sockets.push(socket);
    socket.on('error', () => undefined);
    return socket;
  };
  const opened = async (
    ...of: Parameters<typeof connect>
  ): Promise<{ socket: WebSocket; frames: Frame[] }> => {
    const socket = connect(...of);
    const frames: Frame[] = [];
    socket.on('message', (data: Buffer) => frames.push(JSON.parse(data.toString('utf8'))));
    await once(socket, 'open');
    return { socket, frames };
  };
  /** Status and body of the answer that refuses an upgrade. */
  const refused = async (...of: Parameters<typeof connect>) => {
    const socket = connect(...of);
    const [, response] = await once(socket, 'unexpected-response');
    let text = '';
    for await (const chunk of response) text += String(chunk);
    return { status: response.statusCode, headers: response.headers, body: JSON.parse(text) };
  };

  it('give each event as one text, and go on after the last one a client has', async () => {
    const { socket, frames } = await opened();
    const { body } = await gateway.execute('srv__echo', { arguments: { text: 'planted-secret' } });
    await until(() => frames.length === 4);
    expect(frames.map(({ type }) => type)).toEqual([
      'call.proposed',
      'call.decided',
      'call.dispatched',
      'call.ended',
    ]);
    expect(frames.map(({ id }) => id)).toEqual(['1', '2', '3', '4']);
    expect(Object.keys(frames[0] ?? {})).toEqual(['id', 'type', 'at', 'run_id', 'call_id', 'data']);
    expect(frames[3]?.['call_id']).toBe(body['call_id']);
    expect(JSON.stringify(frames)).not.toContain('planted-secret');
    for (const { id, ...rest } of frames)
      expect(TenantEventView.safeParse({ seq: Number(id), ...rest }).error).toBeUndefined();
    socket.terminate();
    await gateway.execute('srv__echo');
    const again = await opened('?last_event_id=2');
    await until(() => again.frames.length === 6);
    expect(again.frames.map(({ id }) => id)).toEqual(['3', '4', '5', '6', '7', '8']);
  });

  it('are refused over HTTP, with the codes of every other route', async () => {
    const unauthorized = await refused('', { authorization: 'Bearer nothing' });
    expect([unauthorized.status, unauthorized.body.error.code]).toEqual([401, 'unauthorized']);
    expect(unauthorized.headers['www-authenticate']).toMatch(/^Bearer/);
    expect((await refused('', { origin: 'https://evil.example' })).status).toBe(403);
    expect((await refused('', { host: 'evil.example' })).status).toBe(403);
    expect((await refused('?last_event_id=x')).status).toBe(400);
    expect((await refused('?profile=other')).status).toBe(400);
    const metrics = await fetch(`${gateway.management}/metrics`);
    expect(await metrics.text()).toMatch(/uar_unauthorized_total\{[^}]*\} 1/);
  });

  /** Sends what asks for an upgrade, hears, and closes nothing by itself. */
  const rawUpgrade = (token: string) => {
    const { hostname, port, host } = new URL(gateway.url);
    const raw = tcpConnect({ host: hostname, port: Number(port), allowHalfOpen: true });
    const lines = [
      'GET /api/uar/events HTTP/1.1',
      `host: ${host}`,
      `authorization: Bearer ${token}`,
      'connection: Upgrade',
      'upgrade: websocket',
      'sec-websocket-version: 13',
      'sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==',
    ];
    raw.write(`${lines.join('\r\n')}\r\n\r\n`);
    let text = '';
    raw.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    raw.on('error', () => undefined);
    return { raw, text: () => text };
  };

  it('leave no connection of a refused client behind that never closes its own end', async () => {
    const { raw, text } = rawUpgrade('nothing');
    await once(raw, 'end');
    expect(text()).toMatch(/^HTTP\/1\.1 401 .*"unauthorized"/s);
    // Only a connection that is gone at the other end breaks at what is written to it.
    await until(() => {
      if (raw.writable) raw.write('x');
      return raw.destroyed;
    });
    expect(raw.errored).toMatchObject({ code: expect.stringMatching(/^(ECONNRESET|EPIPE)$/) });
  });

  it('are closed with the gateway also where it is not yet said whether they may', async () => {
    let answer = (): void => undefined;
    const { events } = gateway.neighbours.ledger;
    events.held = new Promise((resolve) => (answer = resolve));
    const { reads } = events;
    const { raw, text } = rawUpgrade(gateway.token());
    await until(() => events.reads > reads);
    const stopping = gateway.running.stop();
    await Promise.race([once(raw, 'close'), once(raw, 'end')]);
    expect(text()).toBe('');
    answer();
    raw.destroy();
    await stopping;
  });

  it('read nothing from a client', async () => {
    const { socket } = await opened();
    socket.send('hello');
    const [code] = await once(socket, 'close');
    expect(code).toBe(1008);
    const other = await opened();
    other.socket.send('x'.repeat(5_000));
    const [tooBig] = await once(other.socket, 'close');
    expect(tooBig).toBe(1009);
  });

  it('count with all other streams, and give their place back', async () => {
    const all = await Promise.all(Array.from({ length: 32 }, () => opened()));
    const full = await refused();
    expect([full.status, full.headers['retry-after']]).toEqual([429, '5']);
    all[0]?.socket.close();
    await until(async () => (await gateway.ask('GET', '/api/uar/events?last_event_id=x')).status === 400);
    await until(async () => {
      const metrics = await (await fetch(`${gateway.management}/metrics`)).text();
      return /uar_event_streams\{[^}]*\} 31/.test(metrics);
    });
    await opened();
  });

  it('end with the gateway, which says so', async () => {
    const { socket } = await opened();
    const closed = once(socket, 'close');
    const stopping = gateway.running.stop();
    expect((await closed)[0]).toBe(1001);
    await stopping;
  });

  it('speak AG-UI where they are asked to, each text with its place', async () => {
    const { frames } = await opened('?profile=agui');
    await gateway.execute('srv__echo');
    await until(() => frames.at(-1)?.type === 'TOOL_CALL_RESULT');
    expect(frames.map(({ type }) => type)).toEqual([
      'RUN_STARTED',
      'TOOL_CALL_START',
      'TOOL_CALL_END',
      'CUSTOM',
      'CUSTOM',
      'TOOL_CALL_RESULT',
    ]);
    expect(frames.map(({ id }) => id)).toEqual(['1', '1', '1', '2', '3', '4']);
  });

  it('let every other request be what it is without its offer of another protocol', async () => {
    const asked = (path: string, headers: Record<string, string>, body = '') =>
      new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
        const all = { authorization: `Bearer ${gateway.token()}`, ...headers };
        const sent = request(`${gateway.url}${path}`, { method: body === '' ? 'GET' : 'POST', headers: all });
        sent.on('error', reject);
        sent.on('response', (response) => {
          let text = '';
          response.on('data', (chunk: Buffer) => (text += chunk.toString()));
          response.on('end', () => resolve({ status: response.statusCode, text }));
        });
        sent.end(body);
      });
    const h2c = {
      connection: 'Upgrade, HTTP2-Settings',
      upgrade: 'h2c',
      'http2-settings': 'AAMAAABkAAQAAP__',
    };
    const json = { 'content-type': 'application/json' };
    const called = await asked('/api/tools/srv__echo/execute', { ...h2c, ...json }, '{"arguments":{"n":7}}');
    expect([called.status, JSON.parse(called.text)['outcome']]).toEqual([200, 'completed']);
    const websocket = { connection: 'Upgrade', upgrade: 'websocket' };
    expect((await asked('/api/tools', websocket)).status).toBe(200);
    expect((await asked('/api/nothing', websocket)).status).toBe(404);
  });
});
