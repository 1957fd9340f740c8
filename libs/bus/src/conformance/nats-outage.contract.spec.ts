import { endApproval, readLedgerStatus, type ServiceName } from '@uar/contracts';
import { natsMissing, startNatsServer, type NatsServer } from '@uar/testkit';
import { afterAll, describe, expect, it } from 'vitest';
import type { Bus } from '../bus.js';
import { connectNats } from '../nats/connect-nats.js';
import { recordedLog } from './recorded-log.fixture.js';
import { approvalId, gate } from './values.fixture.js';

const { log } = recordedLog();

describe.skipIf(natsMissing('nats outage'))('when the NATS server goes', () => {
  const open: Bus[] = [];
  const bus = async (service: ServiceName, { url, passwords }: NatsServer): Promise<Bus> => {
    const connected = await connectNats({ url, service, user: service, password: passwords[service], log });
    open.push(connected);
    return connected;
  };
  afterAll(() => Promise.all(open.map((connection) => connection.close())));

  it('fails pending asks at once when the server is killed, refuses new ones, and works again after', async () => {
    const first = await startNatsServer();
    const port = Number(new URL(first.url).port);
    const asker = await bus('gateway', first);
    const answerer = await bus('approval-service', first);
    answerer.answer(endApproval, () => gate().opened.then(() => ({ status: 'expired' })));
    answerer.answer(readLedgerStatus, () => ({ writable: true }));
    await answerer.flush();
    const ask = { approval_id: approvalId, as: 'expired' } as const;
    const pending = Array.from({ length: 50 }, () => asker.ask(endApproval, ask));
    await asker.flush();
    await first.kill();
    const disconnected = { fault: 'disconnected', beforeDispatch: false };
    expect(await Promise.all(pending)).toMatchObject(Array(50).fill(disconnected));
    expect(asker.state()).toBe('disconnected');
    const refused = await asker.ask(readLedgerStatus, {});
    expect(refused).toMatchObject({ fault: 'disconnected', beforeDispatch: true });
    const second = await startNatsServer({ port, passwords: first.passwords });
    await expect
      .poll(() => [asker.state(), answerer.state()], { timeout: 10_000 })
      .toEqual(['connected', 'connected']);
    await answerer.flush();
    expect(await asker.ask(readLedgerStatus, {})).toMatchObject({ kind: 'answered' });
    await second.stop();
  });

  it('waits for a server that is not there yet', async () => {
    const probe = await startNatsServer();
    const port = Number(new URL(probe.url).port);
    await probe.stop();
    const { passwords, url } = probe;
    await expect(connectNats({ url, service: 'gateway' })).rejects.toThrow();
    const password = passwords.gateway;
    const waiting = connectNats({
      url,
      service: 'gateway',
      user: 'gateway',
      password,
      log,
      patienceMs: 10_000,
    });
    const server = await startNatsServer({ port, passwords });
    const connected = await waiting;
    expect(connected.state()).toBe('connected');
    await connected.close();
    await server.stop();
  });

  it('drains while disconnected: waits for handlers, then closes', async () => {
    const lost = await startNatsServer();
    const asker = await bus('gateway', lost);
    const answerer = await bus('approval-service', lost);
    const started = gate();
    const finish = gate();
    answerer.answer(readLedgerStatus, async () => {
      started.open();
      await finish.opened;
      return { writable: true, problem: 'x'.repeat(1024 * 1024) };
    });
    await answerer.flush();
    const asked = asker.ask(readLedgerStatus, {});
    await started.opened;
    await lost.kill();
    expect(await asked).toMatchObject({ fault: 'disconnected' });
    const drained = answerer.drain();
    finish.open();
    await drained;
    expect(answerer.state()).toBe('closed');
  });
});
