import { readLedgerStatus } from '@uar/contracts';
import { describe, expect, it } from 'vitest';
import { DeliveryQueue } from './delivery-queue.js';
import { createHub } from './hub.js';

describe('deliveries in process', () => {
  it('come in order, after the code that sent them', async () => {
    const seen: number[] = [];
    const queue = new DeliveryQueue<number>((item) => {
      seen.push(item);
      if (item < 1_000) queue.push(item + 1_000);
    });
    for (let n = 0; n < 500; n += 1) queue.push(n);
    expect(seen).toEqual([]);
    await expect.poll(() => seen.length, { timeout: 10_000 }).toBe(1_000);
    const first = Array.from({ length: 500 }, (_, n) => n);
    expect(seen).toEqual([...first, ...first.map((n) => n + 1_000)]);
  });

  it('let timers run while services ask each other without a pause', async () => {
    const hub = createHub();
    const ledger = hub.connect({ service: 'approval-service' });
    ledger.answer(readLedgerStatus, () => ({ writable: true }));
    const gateway = hub.connect({ service: 'gateway' });
    let fired = false;
    setTimeout(() => {
      fired = true;
    }, 1);
    let asks = 0;
    for (; !fired && asks < 1_000_000; asks += 1) await gateway.ask(readLedgerStatus, {});
    expect(fired).toBe(true);
    await hub.close();
  });

  it('end with the hub: pending asks are disconnected, running handlers aborted', async () => {
    const hub = createHub();
    const ledger = hub.connect({ service: 'approval-service' });
    const gateway = hub.connect({ service: 'gateway' });
    const aborted = new Promise((resolve) => {
      ledger.answer(readLedgerStatus, async (_ask, { signal }) => {
        await new Promise((done) => signal.addEventListener('abort', done));
        resolve(true);
        return { writable: true };
      });
    });
    const pending = gateway.ask(readLedgerStatus, {});
    await new Promise((resolve) => setImmediate(resolve));
    await hub.close();
    expect(await pending).toMatchObject({ fault: 'disconnected', beforeDispatch: false });
    expect(await aborted).toBe(true);
    expect([ledger.state(), gateway.state()]).toEqual(['closed', 'closed']);
  });
});
