import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CallId, Caller, InstanceId, Principal, RunId } from '@uar/contracts';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CallHandle } from '../../../domain/call/proposed-call.js';
import { ConnectedClients } from '../../../domain/client/connected-clients.js';
import type { Front } from '../../../domain/front/front.js';
import { EventStream } from '../../http/event-stream.js';
import type { McpSession } from './session.js';
import { sessionLimits } from './session-limits.js';
import { SessionStore } from './session-store.js';

const front: Front = {
  path: '/mcp',
  presence: () => 'there',
  tools: () => Promise.resolve({ kind: 'listed', definitions: [] }),
  publicName: (_caller, name) => name,
  items: () => Promise.resolve({ kind: 'listed', definitions: [], incomplete: [] }),
  item: (_caller, kind, id) => Promise.resolve({ kind, server: 'srv', id }),
  shows: () => true,
  shownUri: (_server, uri) => uri,
  shownContents: (_item, _uri, resultJson) => resultJson,
};

const gateway = '0123456789abcdef' as InstanceId;

function callerOf(subject: string): Caller {
  const principal = { subject, tenant: 'default', kind: 'user' } as Principal;
  return { principal, channel: 'api', run_id: 'run_0' as RunId, session_id: 'none' };
}

const endless: CallHandle = {
  ended: new Promise(() => undefined),
  abandon: () => undefined,
  cancel: () => undefined,
} as CallHandle;

describe('SessionStore', () => {
  let store: SessionStore;
  let ended: string[];
  let server: Server;
  const stores: SessionStore[] = [];

  function storeOf(limits: Partial<typeof sessionLimits>): SessionStore {
    ended = [];
    store = new SessionStore(
      {
        pipeline: { propose: () => endless, find: () => undefined },
        items: {
          request: () => ({ ...endless, callId: 'none' as CallId, ended: new Promise(() => undefined) }),
          mayRead: () => Promise.resolve(true),
        },
        clients: new ConnectedClients(gateway),
        gateway,
        waitLimitMs: 1_000,
        pageUrl: (id) => id,
        lists: { onChange: () => () => undefined },
        runs: {
          openSession: async (caller) => `run_of_${caller.principal.subject}` as RunId,
          closeSession: async (caller) => void ended.push(caller.session_id),
        },
      },
      { ...sessionLimits, ...limits },
    );
    stores.push(store);
    return store;
  }
  beforeEach(() => {
    server = createServer();
  });
  afterEach(async () => {
    vi.useRealTimers();
    await Promise.all(stores.splice(0).map((each) => each.close()));
    server.closeAllConnections();
    server.close();
  });

  async function open(subject: string): Promise<McpSession> {
    const session = await store.open({ caller: callerOf(subject), front }, 'streamable');
    if (typeof session === 'string') throw new Error(session);
    return session;
  }
  const find = (session: McpSession, subject: string) =>
    store.find(session.id, { caller: callerOf(subject), front }, 'streamable');

  /** A connection of a client that reads. */
  async function connection(): Promise<{ stream: EventStream; heard: IncomingMessage }> {
    if (!server.listening) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const heard = new Promise<IncomingMessage>((resolve) => request({ port, agent: false }, resolve).end());
    const stream = await new Promise<EventStream>((resolve) => {
      server.once('request', (_request, response) => {
        const made = new EventStream(response, {});
        made.begin();
        resolve(made);
      });
    });
    return { stream, heard: (await heard).resume() };
  }

  async function call(session: McpSession): Promise<IncomingMessage> {
    const { stream, heard } = await connection();
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'a' } } as const;
    session.transport.take([{ kind: 'request', id: 1, method: 'tools/call', text: '', message }], stream);
    return heard;
  }
  const greet = (session: McpSession) =>
    session.greet({
      revision: '2025-11-25',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
    });

  it('ends the longest idle session of whoever has too many, and no other', async () => {
    storeOf({ perPrincipal: 2 });
    const other = await open('eve');
    const [first, second] = [await open('ada'), await open('ada')];
    expect(find(first, 'ada')).toBe(first);
    const third = await open('ada');
    expect(ended).toEqual([second.id]);
    expect([first, third].map((it) => find(it, 'ada'))).toEqual([first, third]);
    expect([find(second, 'ada'), find(other, 'eve')]).toEqual([undefined, other]);
  });

  it('ends the longest idle one of all when there are too many in all', async () => {
    storeOf({ total: 2 });
    const first = await open('eve');
    await open('ada');
    await open('bob');
    expect([ended, store.size]).toEqual([[first.id], 2]);
  });

  it('ends none with a call: it opens no more then', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    storeOf({ perPrincipal: 2, idleMs: 1_000, sweepMs: 5 });
    for (const session of [await open('ada'), await open('ada')]) await call(session);
    expect(await store.open({ caller: callerOf('ada'), front }, 'streamable')).toBe('full');
    const idle = await open('eve');
    vi.setSystemTime(Date.now() + 1_001);
    await expect.poll(() => ended).toEqual([idle.id]);
    expect(store.size).toBe(2);
  });

  it('never has more than it may, however many are opened at once', async () => {
    storeOf({ perPrincipal: 3, total: 5 });
    const visits = ['ada', 'bob', 'eve'].flatMap((subject) => Array.from({ length: 5 }, () => subject));
    await Promise.all(
      visits.map((subject) => store.open({ caller: callerOf(subject), front }, 'streamable')),
    );
    expect(store.size).toBeLessThanOrEqual(5);
    expect(store.size).toBeGreaterThan(0);
  });

  it('ends idle sessions, those with a stream not', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    storeOf({ idleMs: 1_000, sweepMs: 5 });
    const [idle, heard, later] = [await open('ada'), await open('ada'), await open('ada')];
    heard.transport.openStanding((await connection()).stream);
    vi.setSystemTime(Date.now() + 600);
    expect(find(later, 'ada')).toBe(later);
    vi.setSystemTime(Date.now() + 401);
    await expect.poll(() => ended).toEqual([idle.id]);
    vi.setSystemTime(Date.now() + 600);
    await expect.poll(() => ended).toEqual([idle.id, later.id]);
    expect(find(heard, 'ada')).toBe(heard);
  });

  it('ends a connection that is old, for clients that come back, before there is an answer', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    storeOf({ longestStreamMs: 1_000, sweepMs: 5 });
    const [early, late] = [await open('ada'), await open('ada')];
    greet(late);
    const [kept, released] = [await call(early), await call(late)];
    vi.setSystemTime(Date.now() + 1_001);
    await expect.poll(() => released.complete).toBe(true);
    expect(kept.complete).toBe(false);
    expect(late.transport.isWaiting(1)).toBe(true);
    expect(late.transport.resume('1.0', (await connection()).stream)).toBe('resumed');
  });

  it('knows sessions by their owner, front and kind alone', async () => {
    storeOf({});
    const session = await open('ada');
    const caller = callerOf('ada');
    expect(find(session, 'eve')).toBeUndefined();
    const elsewhere = { ...front, path: '/mcp/servers/a' };
    expect(store.find(session.id, { caller, front: elsewhere }, 'streamable')).toBeUndefined();
    expect(store.find(session.id, { caller, front }, 'pair')).toBeUndefined();
    expect(session.id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  });
});
