import { get, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { TenantId, type Receipt, type ReceiptCheckpoint } from '@uar/contracts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Gateway } from '../http-spec/gateway.fixture.js';

const total = 40_000;
const pageSize = 500;
const hash = `sha256:${'0'.repeat(64)}` as const;

let gateway: Gateway;
beforeEach(async () => {
  gateway = await Gateway.start();
});
afterEach(() => gateway.stop());

/** A chain as long as that of a busy tenant; its links are the ledger's business. */
function fill(count: number): void {
  const receipt: Omit<Receipt, 'seq'> = {
    at: '2026-11-30T12:00:00.000Z',
    kind: 'outcome',
    tenant: TenantId.parse('default'),
    principal: 'User::"default/ada"',
    governance: 'on',
    profile: 'minimal',
    outcome: 'completed',
    effect: 'ran',
    prev_hash: hash,
    hash,
  };
  const { receipts } = gateway.neighbours.ledger;
  for (let seq = 1; seq <= count; seq += 1) receipts.push({ ...receipt, seq });
}

function truncatedThrough(through_seq: number): ReceiptCheckpoint {
  const tenant = TenantId.parse('default');
  return { tenant, through_seq, hash, at: '2026-11-30T12:00:00.000Z', key_id: 'k', signature: 's' };
}

/** An export whose reader takes nothing until it is asked to. */
async function exporting(): Promise<IncomingMessage> {
  const request = get(`${gateway.url}/api/uar/receipts/export`, {
    headers: { authorization: `Bearer ${gateway.token()}` },
  });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
}

/** How many pages were read, once no more are. */
async function settledPages(): Promise<number> {
  for (let before = -1; ;) {
    await new Promise((resolve) => setTimeout(resolve, 300));
    const { pages } = gateway.neighbours.ledger;
    if (pages === before) return pages;
    before = pages;
  }
}

describe('an export of a long chain', () => {
  it('is read from the ledger no faster than its reader takes it, and to its end', async () => {
    fill(total);
    const response = await exporting();
    expect(await settledPages()).toBeLessThan(total / pageSize / 2);
    let lines = 0;
    for await (const chunk of response) lines += String(chunk).split('\n').length - 1;
    expect(lines).toBe(total);
    expect(gateway.neighbours.ledger.pages).toBe(total / pageSize);
  });

  it('ends with the reader that goes away', async () => {
    fill(total);
    const response = await exporting();
    await once(response, 'readable');
    response.destroy();
    expect(await settledPages()).toBeLessThan(total / pageSize / 2);
  });
});

describe('a chain that begins after a checkpoint', () => {
  it('is exported with it, listed with where it begins, and what is gone is 410', async () => {
    fill(30);
    gateway.neighbours.ledger.checkpoint = truncatedThrough(20);
    const { text } = await gateway.ask('GET', '/api/uar/receipts/export');
    const [first, second, ...rest] = text.trim().split('\n');
    expect(JSON.parse(first ?? '')).toEqual({ checkpoint: truncatedThrough(20) });
    expect(JSON.parse(second ?? '')).toMatchObject({ seq: 21 });
    expect(rest).toHaveLength(9);
    expect((await gateway.ask('GET', '/api/uar/receipts')).body['truncated_through']).toBe(20);
    expect(await gateway.ask('GET', '/api/uar/receipts/20')).toMatchObject({
      status: 410,
      body: { error: { code: 'receipt_truncated', details: { through_seq: 20 } } },
    });
    expect((await gateway.ask('GET', '/api/uar/receipts/21')).status).toBe(200);
  });

  it('breaks an export off that it was cut under', async () => {
    fill(total);
    const response = await exporting();
    const pages = await settledPages();
    gateway.neighbours.ledger.checkpoint = truncatedThrough(pages * pageSize + 5_000);
    const taken = (async () => {
      for await (const chunk of response) void chunk;
    })();
    await expect(taken).rejects.toThrow();
  });
});
