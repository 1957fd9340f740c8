import { createHub, type Hub } from '@uar/bus';
import { createLog } from '@uar/telemetry';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { World } from './connector.fixture.js';
import { HttpUpstream, json, sse } from './http-server.fixture.js';

const log = createLog({ service: 'test', level: 'silent' });
const good = '{"content":[{"type":"text","text":"fine"}]}';

describe('streams of streamable HTTP upstreams', () => {
  let hub: Hub;
  let world: World;
  let upstream: HttpUpstream;
  const start = async (): Promise<void> => {
    world = await World.start((service) => Promise.resolve(hub.connect({ service, log })), {
      web: { transport: 'http', url: upstream.url },
    });
  };
  beforeEach(async () => {
    hub = createHub();
    upstream = await HttpUpstream.start();
    upstream.tools.set('json', (call, response) => json(call, response, good));
  });
  afterEach(async () => {
    await world.stop();
    await hub.close();
    await upstream.stop();
  });

  it('goes on with an answer whose stream ended early, and sends the call once', async () => {
    upstream.tools.set('slow', (call, response) => {
      sse(response).end('id: 7\nretry: 100\ndata:\n\n');
      upstream.intercept = (asked, stream) => {
        if (asked.headers['last-event-id'] !== '7') return false;
        sse(stream).end(`data: {"jsonrpc":"2.0","id":${call.message.id},"result":${good}}\n\n`);
        return true;
      };
    });
    await start();
    await world.untilReady('web');
    expect(await world.run('web', 'slow')).toEqual({ kind: 'ran', result_json: good, is_error: false });
    expect(upstream.calls.filter(({ message }) => message.method === 'tools/call').length).toBe(1);
    expect(upstream.calls.find(({ headers }) => headers['last-event-id'] === '7')?.headers).toMatchObject({
      accept: 'text/event-stream',
      'mcp-session-id': 'session-1',
    });
  });

  it('lists and calls once the standing stream is there', async () => {
    const order: string[] = [];
    upstream.intercept = ({ method, message }, response) => {
      order.push(message.method ?? method);
      if (method !== 'GET') return false;
      setTimeout(() => {
        order.push('stream');
        sse(response).flushHeaders();
      }, 60);
      return true;
    };
    await start();
    await world.untilReady('web');
    expect(order).toEqual([
      ...['server/discover', 'initialize', 'notifications/initialized'],
      ...['GET', 'stream', 'tools/list'],
    ]);
  });

  it('opens a standing stream that does not hold as the upstream wants, and more seldom each time', async () => {
    const opened: number[] = [];
    upstream.intercept = ({ method }, response) => {
      if (method !== 'GET') return false;
      opened.push(performance.now());
      sse(response).end('retry: 100\ndata:\n\n');
      return true;
    };
    await start();
    await expect.poll(() => opened.length, { timeout: 10_000 }).toBe(4);
    const pauses = opened.slice(1).map((at, n) => at - (opened[n] ?? 0));
    // Timers are up to a millisecond early.
    expect(pauses.map((ms, n) => ms > 99 * 2 ** n)).toEqual([true, true, true]);
  });
});
