import { createHub } from '@uar/bus';
import { appendReceipts } from '@uar/contracts';
import { createLog } from '@uar/telemetry';
import { afterEach, describe, expect, it } from 'vitest';
import { admin } from '../world.fixture.js';
import { LedgerReceipts } from './ledger-receipts.js';

describe('LedgerReceipts', () => {
  const log = createLog({ service: 'test', level: 'silent' });
  const hub = createHub();
  afterEach(() => hub.close());

  it('keeps what the ledger does not take and writes it later, in order', async () => {
    const receipts = new LedgerReceipts({
      bus: hub.connect({ service: 'catalog-registry', log }),
      ...{ log, profile: 'minimal', governance: 'on' },
    });
    await receipts.write(admin, 'server.put a');
    await receipts.write({ ...admin, agent_id: 'bot' }, 'server.delete a');
    expect(receipts.problems()).toEqual(['2 admin receipts wait for the ledger']);
    const ledger = hub.connect({ service: 'approval-service', log });
    const written = await new Promise((resolve) => {
      ledger.answer(appendReceipts, (ask) => {
        resolve(ask.receipts);
        return { positions: ask.receipts.map(() => ({ seq: 1, hash: `sha256:${'0'.repeat(64)}` })) };
      });
    });
    expect(written).toMatchObject([
      { kind: 'admin', action: 'server.put a', principal: 'User::"default/dev"', governance: 'on' },
      { action: 'server.delete a', agent: 'bot' },
    ]);
    await receipts.stop();
    expect(receipts.problems()).toEqual([]);
  });
});
