import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import type { Bus } from '@uar/bus';
import { createApproval, endApproval, listDeliveries, retryDelivery } from '@uar/contracts';
import { withBothBuses } from '@uar/testkit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { deployment, playDecider, playGateway, value, type Deployment } from './running.fixture.js';
import { acme, beta, draft, receipt } from './samples.fixture.js';

const secret = 'a-key-of-the-webhook-of-this-spec';

interface Heard {
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A receiver that answers as it is told, one status after another; the last one stays. */
class Hook {
  readonly heard: Heard[] = [];
  statuses: (number | 'hang')[] = [200];
  private readonly server: Server = createServer((request, response) => void this.take(request, response));
  private listeners: (() => void)[] = [];

  async start(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    return `http://127.0.0.1:${address.port}/hook`;
  }

  async until(count: number): Promise<Heard[]> {
    while (this.heard.length < count) await new Promise<void>((resolve) => this.listeners.push(resolve));
    return this.heard;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const status = this.statuses.length > 1 ? this.statuses.shift() : this.statuses[0];
    this.heard.push({ headers: request.headers, body: Buffer.concat(parts).toString() });
    for (const listener of this.listeners.splice(0)) listener();
    if (typeof status === 'number') response.writeHead(status).end();
  }
}

const told = ({ body }: Heard) => {
  const { event, approval } = JSON.parse(body);
  return [event, approval.status, approval.approval_id];
};

withBothBuses('the webhook', (connect) => {
  let hook: Hook;
  let service: Deployment;
  let gateway: Bus;

  beforeEach(async () => {
    hook = new Hook();
    const webhook = { url: await hook.start(), secret_env: 'HOOK', format: 'uar', secret } as const;
    service = deployment(connect, {}, (config) => ({
      ...config,
      approvals: { ...config.approvals, webhook },
    }));
    await playDecider(await connect('governance-decider'));
    gateway = (await playGateway(await connect('gateway'))).bus;
  });
  afterEach(async () => {
    await service.end();
    hook.stop();
  });

  async function asked(): Promise<string> {
    const made = value(await gateway.ask(createApproval, draft()));
    if (made.kind !== 'created') throw new Error(made.kind);
    return made.approval.approval_id;
  }
  const ended = (approval_id: string) => gateway.ask(endApproval, { approval_id, as: 'cancelled' });

  async function deliveries(status: 'pending' | 'delivered' | 'dead', count: number) {
    for (;;) {
      const page = value(await gateway.ask(listDeliveries, { tenant: acme, status, limit: 100 }));
      if (page.deliveries.length >= count) return page.deliveries;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  it('hears of each step in order, signed, and again after it had failed', async () => {
    await service.start();
    hook.statuses = [500, 200];
    const approvalId = await asked();
    await hook.until(1);
    await ended(approvalId);
    const heard = await hook.until(3);
    expect(heard.map(told)).toEqual([
      ['approval.required', 'pending', approvalId],
      ['approval.required', 'pending', approvalId],
      ['approval.settled', 'cancelled', approvalId],
    ]);
    expect(heard[0]?.headers['uar-webhook-id']).toBe(heard[1]?.headers['uar-webhook-id']);
    for (const { headers, body } of heard) {
      const signed = createHmac('sha256', secret).update(`${headers['uar-webhook-timestamp']}.${body}`);
      expect(headers['uar-webhook-signature']).toBe(`v1=${signed.digest('hex')}`);
    }
    expect(await deliveries('delivered', 2)).toHaveLength(2);
  });

  it('hears after a restart what was written before, and twice rather than not at all', async () => {
    await service.start();
    hook.statuses = ['hang', 200];
    const approvalId = await asked();
    await hook.until(1);
    await service.stop();
    await service.start();
    const heard = await hook.until(2);
    expect(heard.map(told)).toEqual(Array(2).fill(['approval.required', 'pending', approvalId]));
  });

  it('holds up nobody while it hangs', async () => {
    await service.start();
    hook.statuses = ['hang'];
    const before = performance.now();
    const ids = await Promise.all(Array.from({ length: 12 }, asked));
    for (const id of ids) value(await ended(id));
    expect(performance.now() - before).toBeLessThan(8_000);
    // Four at a time, each of another approval.
    const heard = await hook.until(4);
    expect(new Set(heard.map((one) => told(one)[2])).size).toBe(4);
    expect(heard).toHaveLength(4);
  });

  it('that wants none gets none, until an administrator of the tenant asks for it', async () => {
    await service.start();
    hook.statuses = [410, 200];
    await asked();
    const [dead] = await deliveries('dead', 1);
    expect(dead).toMatchObject({ attempts: 1, problem: 'answered 410', approval_status: 'pending' });
    const ask = { delivery_id: dead?.delivery_id ?? '', receipt: receipt({ kind: 'admin' }) };
    expect(value(await gateway.ask(retryDelivery, { ...ask, tenant: beta }))).toEqual({ kind: 'not_found' });
    expect(value(await gateway.ask(retryDelivery, { ...ask, tenant: acme })).kind).toBe('retried');
    await hook.until(2);
    expect(await deliveries('delivered', 1)).toHaveLength(1);
  });
});
