import { connect, headers, type Msg, type NatsConnection } from '@nats-io/transport-node';
import {
  approvalSettled,
  keepCall,
  readKeptCall,
  readLedgerStatus,
  writeIntent,
  type ServiceName,
} from '@uar/contracts';
import { natsMissing, startNatsServer, type NatsServer } from '@uar/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Bus } from '../bus.js';
import { connectNats } from '../nats/connect-nats.js';
import { recordedLog } from './recorded-log.fixture.js';
import { callId, intent, keptCall, tenant } from './values.fixture.js';

const { log, lines } = recordedLog();
const encode = (value: unknown): string => JSON.stringify(value);

describe.skipIf(natsMissing('nats'))('over a NATS server', () => {
  let server: NatsServer;
  let gateway: Bus;
  let ledger: Bus;
  const open: (Bus | NatsConnection)[] = [];
  const ran: string[] = [];

  const bus = async (service: ServiceName): Promise<Bus> => {
    const password = server.passwords[service];
    const connected = await connectNats({ url: server.url, service, user: service, password, log });
    open.push(connected);
    return connected;
  };
  /** Any NATS client with a service's credentials: what a stolen password is worth. */
  const plain = async (service: ServiceName): Promise<NatsConnection> => {
    const pass = server.passwords[service];
    const options = { servers: server.url, user: service, pass, inboxPrefix: `uar.inbox.${service}` };
    const connection = await connect(options);
    open.push(connection);
    return connection;
  };

  beforeAll(async () => {
    server = await startNatsServer();
    gateway = await bus('gateway');
    ledger = await bus('approval-service');
    ledger.answer(readLedgerStatus, () => ({ writable: true }));
    ledger.answer(keepCall, ({ call_id }) => {
      ran.push(call_id);
      return { kept: true };
    });
    await ledger.flush();
  });
  afterAll(async () => {
    await Promise.all(open.map((connection) => connection.close()));
    await server.stop();
  });

  it('lets any client ask with plain JSON', async () => {
    const client = await plain('gateway');
    const reply = await client.request(readLedgerStatus.subject, '{}', { timeout: 2_000 });
    expect(reply.string()).toBe('{"writable":true}');
    expect(reply.headers).toBeUndefined();
  });

  it('answers a malformed ask, or one with a malformed deadline, with the fault bad_ask', async () => {
    const client = await plain('gateway');
    const withDeadline = headers();
    withDeadline.set('uar-deadline', 'tomorrow');
    const replies = await Promise.all([
      client.request(readLedgerStatus.subject, '{"a":1}', { timeout: 2_000 }),
      client.request(readLedgerStatus.subject, 'not json', { timeout: 2_000 }),
      client.request(readLedgerStatus.subject, new Uint8Array([0x22, 0xff, 0x22]), { timeout: 2_000 }),
      client.request(readLedgerStatus.subject, '{}', { timeout: 2_000, headers: withDeadline }),
    ]);
    expect(replies.map((reply) => reply.headers?.get('uar-fault'))).toEqual(Array(4).fill('bad_ask'));
    expect(replies.every((reply) => reply.data.length === 0)).toBe(true);
  });

  it('never runs an ask whose absolute deadline has passed', async () => {
    const client = await plain('gateway');
    const body = { tenant, principal: 'p', view_json: '', expires_at: 1 };
    const past = headers();
    past.set('uar-deadline', String(Date.now() - 1));
    client.publish(keepCall.subject, encode({ ...body, call_id: callId(1) }), {
      reply: 'uar.inbox.gateway.x.y',
      headers: past,
    });
    await client.request(keepCall.subject, encode({ ...body, call_id: callId(2) }), { timeout: 2_000 });
    expect(ran).toEqual([callId(2)]);
  });

  it('does not speak on a subject that a forged ask names instead of an inbox', async () => {
    const client = await plain('gateway');
    const heard: string[] = [];
    gateway.listen(approvalSettled, ({ call_id }) => void heard.push(call_id));
    await gateway.flush();
    client.publish(readLedgerStatus.subject, '{}', { reply: approvalSettled.subject });
    client.publish(readLedgerStatus.subject, '{}', { reply: 'uar.inbox.gateway.>' });
    client.publish(readLedgerStatus.subject, '{}');
    await client.request(readLedgerStatus.subject, '{}', { timeout: 2_000 });
    const dropped = () => lines.filter((line) => line.includes('without an inbox'));
    await expect.poll(() => dropped().length, { timeout: 10_000 }).toBe(3);
    expect(heard).toEqual([]);
    expect(ledger.violation()).toBeUndefined();
  });

  it('does not take what a foreign answerer says against the contract', async () => {
    const foreign = await plain('approval-service');
    const chunk = (part: string) => {
      const parts = headers();
      parts.set('uar-part', part);
      return parts;
    };
    const unknown = headers();
    unknown.set('uar-fault', 'no_such_fault');
    const speeches: ((message: Msg) => void)[] = [
      (message) => message.respond('{"kind":"found"}'),
      (message) => message.respond('garbage'),
      (message) => message.respond(new Uint8Array([0xff])),
      (message) => message.respond('{', { headers: chunk('2/3') }),
      (message) => message.respond('{', { headers: chunk('1') }),
      (message) => message.respond('', { headers: chunk('1/9999999') }),
      (message) => {
        message.respond('{', { headers: chunk('1/2') });
        message.respond('}', { headers: chunk('2/3') });
      },
      (message) => {
        message.respond('{', { headers: chunk('1/2') });
        message.respond('{"kind":"not_found"}');
      },
      (message) => message.respond('', { headers: unknown }),
    ];
    let next = 0;
    const callback = (_error: Error | null, message: Msg): void => speeches[next]?.(message);
    foreign.subscribe(readKeptCall.subject, { callback });
    await foreign.flush();
    for (; next < speeches.length; next += 1) {
      expect(await gateway.ask(readKeptCall, keptCall(1)), `speech ${next}`).toMatchObject({
        fault: 'bad_answer',
      });
    }
  });

  it('lets nobody with the password of one service ask, answer, announce or hear for another', async () => {
    const client = await plain('native-tool-host');
    const refused: string[] = [];
    const watching = (async () => {
      for await (const status of client.status()) {
        if (status.type === 'error') refused.push(status.error.message);
      }
    })();
    const callback = (): void => {};
    client.publish(readLedgerStatus.subject, '{}', { reply: 'uar.inbox.native-tool-host.x.y' });
    client.publish(approvalSettled.subject, '{}');
    client.publish('uar.inbox.mcp-connector.x.y', '{}');
    client.subscribe(keepCall.subject, { callback });
    client.subscribe('uar.inbox.gateway.>', { callback });
    client.subscribe('>', { callback });
    await client.flush();
    await expect.poll(() => refused.length, { timeout: 10_000 }).toBe(6);
    expect(refused.every((message) => message.toLowerCase().includes('permissions violation'))).toBe(true);
    await client.close();
    await watching;
  });

  it('fails the ask and keeps a violation when the server allows less than the topology', async () => {
    const password = server.passwords['mcp-connector'];
    const service = 'gateway';
    const url = server.url;
    const misconfigured = await connectNats({ url, service, user: 'mcp-connector', password, log });
    open.push(misconfigured);
    const reply = await misconfigured.ask(writeIntent, intent);
    expect(reply).toMatchObject({ fault: 'bad_ask', beforeDispatch: true });
    expect(misconfigured.violation()).toContain('gateway may not');
  });

  it('connects with the right password only', async () => {
    const user = 'gateway';
    const attempt = connectNats({
      url: server.url,
      service: user,
      user,
      password: 'wrong',
      patienceMs: 5_000,
    });
    await expect(attempt).rejects.toThrow(/authorization/i);
    await expect(connectNats({ url: server.url, service: user })).rejects.toThrow(/authorization/i);
  });
});
