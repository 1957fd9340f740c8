import {
  approvalSettled,
  callProgressed,
  hosts,
  readKeptCall,
  readLedgerStatus,
  readSettings,
  type BodyOf,
} from '@uar/contracts';
import { withBothBuses } from '@uar/testkit';
import { expect, it } from 'vitest';
import { recordedLog } from './recorded-log.fixture.js';
import { approvalId, callId, gate, instanceA, instanceB, keptCall, tenant } from './values.fixture.js';

withBothBuses('answering', (connect) => {
  it('shares the asks of an exchange among the replicas that answer it', async () => {
    const gateway = await connect('gateway');
    const counts = [0, 0, 0];
    const replicas = await Promise.all(counts.map(() => connect('approval-service')));
    for (const [index, replica] of replicas.entries()) {
      replica.answer(readLedgerStatus, () => {
        counts[index] = (counts[index] ?? 0) + 1;
        return { writable: true };
      });
      await replica.flush();
    }
    await Promise.all(Array.from({ length: 300 }, () => gateway.ask(readLedgerStatus, {})));
    expect(counts.reduce((sum, count) => sum + count)).toBe(300);
    expect(Math.min(...counts)).toBeGreaterThan(30);
    await Promise.all(replicas.map((replica) => replica.close()));
  });

  it('runs handlers concurrently', async () => {
    const gateway = await connect('gateway');
    const ledger = await connect('approval-service');
    const all = gate();
    let running = 0;
    ledger.answer(readLedgerStatus, async () => {
      running += 1;
      if (running === 20) all.open();
      await all.opened;
      return { writable: true };
    });
    await ledger.flush();
    const replies = await Promise.all(Array.from({ length: 20 }, () => gateway.ask(readLedgerStatus, {})));
    expect(replies.every(({ kind }) => kind === 'answered')).toBe(true);
    await ledger.close();
  });

  it('shares nothing between asker and handler: they hold bytes of each other, never objects', async () => {
    const registry = await connect('catalog-registry');
    const ledger = await connect('approval-service');
    const answer = { settings: [{ tenant, namespace: 'x', key: 'k', revision: 1, value: { deep: [1] } }] };
    ledger.answer(readSettings, () => answer);
    await ledger.flush();
    const first = await registry.ask(readSettings, { namespace: 'x' });
    answer.settings[0]?.value.deep.push(2);
    expect(first).toMatchObject({ value: { settings: [{ value: { deep: [1] } }] } });
    const second = await registry.ask(readSettings, { namespace: 'x' });
    expect(second).toMatchObject({ value: { settings: [{ value: { deep: [1, 2] } }] } });
    await ledger.close();
  });

  it('reaches one instance by its id, and nobody in its place', async () => {
    const gateway = await connect('gateway');
    const reached: string[] = [];
    for (const instance of [instanceA, instanceB]) {
      const connector = await connect('mcp-connector', { instance });
      expect(connector.instance).toBe(instance);
      connector.answer(hosts.mcp.cancel, () => {
        reached.push(instance);
        return { found: true };
      });
      await connector.flush();
    }
    const ask = { call_id: callId(1) };
    await gateway.ask(hosts.mcp.cancel, ask, { to: instanceB });
    await gateway.ask(hosts.mcp.cancel, ask, { to: instanceA });
    await gateway.ask(hosts.mcp.cancel, ask, { to: instanceB });
    expect(reached).toEqual([instanceB, instanceA, instanceB]);
    const nobody = await gateway.ask(hosts.mcp.cancel, ask, { to: 'c'.repeat(16) });
    expect(nobody).toMatchObject({ fault: 'no_responders' });
  });

  it('is asked with an instance exactly where the exchange says so', async () => {
    const gateway = await connect('gateway');
    const refused = { fault: 'bad_ask', beforeDispatch: true };
    expect(await gateway.ask(hosts.mcp.cancel, { call_id: callId(1) })).toMatchObject(refused);
    expect(await gateway.ask(hosts.mcp.cancel, { call_id: callId(1) }, { to: '*' })).toMatchObject(refused);
    expect(await gateway.ask(readLedgerStatus, {}, { to: instanceA })).toMatchObject(refused);
  });

  it('drains: running handlers finish and their answers arrive, new asks are not taken', async () => {
    const gateway = await connect('gateway');
    const ledger = await connect('approval-service');
    const started = gate();
    const finish = gate();
    ledger.answer(readKeptCall, async ({ call_id }) => {
      started.open();
      await finish.opened;
      return { kind: 'found', principal: 'p', view_json: call_id };
    });
    await ledger.flush();
    const running = gateway.ask(readKeptCall, keptCall(1));
    await started.opened;
    let drained = false;
    const draining = ledger.drain().then(() => {
      drained = true;
    });
    expect(ledger.state()).toBe('draining');
    await ledger.flush();
    expect(await gateway.ask(readKeptCall, keptCall(2))).toMatchObject({ fault: 'no_responders' });
    expect(drained).toBe(false);
    finish.open();
    expect(await running).toMatchObject({ kind: 'answered', value: { view_json: callId(1) } });
    await draining;
    expect(ledger.state()).toBe('closed');
  });

  it('loses no ask while one of two replicas drains', async () => {
    const gateway = await connect('gateway');
    const leaving = await connect('approval-service');
    const staying = await connect('approval-service');
    for (const replica of [leaving, staying]) {
      replica.answer(readLedgerStatus, async () => {
        await new Promise((resolve) => setImmediate(resolve));
        return { writable: true };
      });
      await replica.flush();
    }
    const asks = Array.from({ length: 400 }, () => gateway.ask(readLedgerStatus, {}));
    await asks[0];
    const drained = leaving.drain();
    for (let n = 0; n < 400; n += 1) asks.push(gateway.ask(readLedgerStatus, {}));
    await drained;
    const kinds = new Set((await Promise.all(asks)).map(({ kind }) => kind));
    expect([...kinds]).toEqual(['answered']);
    await staying.close();
  });

  it('drains no longer than the grace, and aborts what still runs then', async () => {
    const { log, lines } = recordedLog();
    const gateway = await connect('gateway');
    const ledger = await connect('approval-service', { log });
    const started = gate();
    const aborted = gate();
    ledger.answer(readLedgerStatus, async (_ask, { signal }) => {
      signal.addEventListener('abort', () => aborted.open());
      started.open();
      await aborted.opened;
      return { writable: true };
    });
    await ledger.flush();
    void gateway.ask(readLedgerStatus, {});
    await started.opened;
    await ledger.drain(20);
    await aborted.opened;
    expect(lines.some((line) => line.includes('handlers outlived the grace'))).toBe(true);
  });

  it('brings an announcement to every replica, once each, until it stops listening', async () => {
    const ledger = await connect('approval-service');
    const heard: string[][] = [[], [], []];
    const gateways = await Promise.all(heard.map(() => connect('gateway')));
    const last = gateways.map(() => gate());
    const ends: (() => void)[] = [];
    for (const [index, gateway] of gateways.entries()) {
      const listener = ({ status }: BodyOf<typeof approvalSettled>) => {
        heard[index]?.push(status);
        if (status === 'consumed') last[index]?.open();
      };
      ends.push(gateway.listen(approvalSettled, listener));
      await gateway.flush();
    }
    const body = { tenant, approval_id: approvalId, call_id: callId(1) };
    expect(ledger.announce(approvalSettled, { ...body, status: 'approved' })).toEqual({ kind: 'sent' });
    await expect.poll(() => heard, { timeout: 10_000 }).toEqual([['approved'], ['approved'], ['approved']]);
    ends[0]?.();
    await gateways[0]?.flush();
    ledger.announce(approvalSettled, { ...body, status: 'consumed' });
    await Promise.all([last[1]?.opened, last[2]?.opened]);
    expect(heard).toEqual([['approved'], ['approved', 'consumed'], ['approved', 'consumed']]);
  });

  it('keeps listening when a listener throws', async () => {
    const { log, lines } = recordedLog();
    const gateway = await connect('gateway', { log });
    const connector = await connect('mcp-connector');
    const heard: string[] = [];
    gateway.listen(callProgressed, ({ params_json }) => {
      heard.push(params_json);
      throw new Error('listener broke');
    });
    await gateway.flush();
    connector.announce(callProgressed, { call_id: callId(1), params_json: '1' });
    connector.announce(callProgressed, { call_id: callId(1), params_json: '2' });
    await expect.poll(() => heard, { timeout: 10_000 }).toEqual(['1', '2']);
    expect(lines.filter((line) => line.includes('listener broke'))).toHaveLength(2);
  });

  it('says what became of an announcement that could not be sent', async () => {
    const { log } = recordedLog();
    const connector = await connect('mcp-connector', { log });
    const progress = { call_id: callId(1), params_json: 'x'.repeat(5 * 1024 * 1024) };
    expect(connector.announce(callProgressed, progress)).toEqual({ kind: 'dropped', cause: 'too_large' });
    const misshapen = { call_id: callId(1), params_json: '', ...{ more: 1 } };
    expect(connector.announce(callProgressed, misshapen)).toEqual({ kind: 'dropped', cause: 'bad_body' });
    await connector.close();
    const small = { call_id: callId(1), params_json: '' };
    expect(connector.announce(callProgressed, small)).toEqual({ kind: 'dropped', cause: 'disconnected' });
    expect(() => connector.answer(hosts.mcp.cancel, () => ({ found: false }))).toThrow();
  });
});
