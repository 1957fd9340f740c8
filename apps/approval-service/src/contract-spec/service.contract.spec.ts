import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Bus } from '@uar/bus';
import {
  appendReceipts,
  claimKey,
  keepCall,
  readKeptCall,
  readLedgerStatus,
  readReceipt,
  readSettings,
  topology,
  verifyReceipts,
  writeIntent,
  writeSetting,
} from '@uar/contracts';
import { withBothBuses } from '@uar/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { deployment, present, value, type Deployment } from './running.fixture.js';
import { acme, callId, digestOf, intent, receipt } from './samples.fixture.js';

withBothBuses('the ledger behind the bus', (connect) => {
  let service: Deployment;
  let gateway: Bus;
  let registry: Bus;

  beforeAll(async () => {
    service = deployment(connect);
    await service.start();
    gateway = await present(connect);
    registry = await connect('catalog-registry');
  });
  afterAll(() => service.end());

  it('answers everything that the topology says it answers', async () => {
    for (const exchange of topology['approval-service'].answers) {
      const reply = await gateway.ask(exchange, { nonsense: true });
      // Refused before it is sent, or answered by somebody: never nobody there.
      expect(reply.kind === 'fault' && reply.fault, exchange.subject).not.toBe('no_responders');
    }
    expect(value(await gateway.ask(readLedgerStatus, {}))).toEqual({ writable: true });
  });

  it('chains receipts and positions them in the order of asking', async () => {
    const written = value(await gateway.ask(writeIntent, intent(gateway)));
    const { positions } = value(
      await gateway.ask(appendReceipts, {
        receipts: [receipt({ cause: 'first' }), receipt({ cause: 'second' })],
      }),
    );
    expect(positions.map(({ seq }) => seq - written.seq)).toEqual([1, 2]);
    const seq = written.seq + 2;
    expect(value(await gateway.ask(readReceipt, { tenant: acme, seq }))).toMatchObject({
      kind: 'found',
      receipt: { cause: 'second', ...positions[1] },
    });
    expect(value(await gateway.ask(verifyReceipts, { tenant: acme }))).toEqual({
      ok: true,
      length: seq,
      head: positions[1]?.hash,
    });
  });

  it('sets settings by compare and set', async () => {
    const setting = {
      tenant: acme,
      namespace: 'tenant',
      key: 'run-policy',
      value: { a: [1, null] },
      if_revision: 0,
    };
    expect(value(await registry.ask(writeSetting, setting))).toEqual({ kind: 'written', revision: 1 });
    expect(value(await registry.ask(writeSetting, setting))).toEqual({ kind: 'conflict', revision: 1 });
    const { settings } = value(await registry.ask(readSettings, { namespace: 'tenant' }));
    expect(settings).toEqual([
      { tenant: acme, namespace: 'tenant', key: 'run-policy', revision: 1, value: { a: [1, null] } },
    ]);
  });

  it('keeps calls until they expire, and claims keys once', async () => {
    const call = {
      tenant: acme,
      call_id: callId(),
      principal: 'User::"acme/ann"',
      expires_at: Date.now() + 60_000,
    };
    expect(value(await gateway.ask(keepCall, { ...call, view_json: '{"call":1}' }))).toEqual({ kept: true });
    const { tenant, call_id } = call;
    expect(value(await gateway.ask(readKeptCall, { tenant, call_id }))).toEqual({
      kind: 'found',
      principal: call.principal,
      view_json: '{"call":1}',
    });
    expect(value(await gateway.ask(readKeptCall, { tenant, call_id: callId() }))).toEqual({
      kind: 'not_found',
    });
    const claim = { ...call, key: 'order-7', request_digest: digestOf('1') };
    expect(value(await gateway.ask(claimKey, claim))).toEqual({ kind: 'claimed' });
    expect(value(await gateway.ask(claimKey, { ...claim, call_id: callId() }))).toEqual({
      kind: 'same',
      call_id,
    });
  });

  it('makes its folder and keys for their owner alone', () => {
    const { dataDir } = service;
    for (const path of ['', 'keys/data.key', 'keys/receipts.key', 'ledger.db', 'heads.jsonl']) {
      expect(statSync(join(dataDir, path)).mode & 0o077, path).toBe(0);
    }
    expect(readFileSync(join(dataDir, 'keys/receipts.pub'), 'utf8')).toContain('BEGIN PUBLIC KEY');
  });
});
