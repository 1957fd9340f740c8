import type Database from 'better-sqlite3';
import type { Store } from '../store.js';
import { ApprovalRows } from './approvals/approval-rows.js';
import { approvalsStore } from './approvals/approvals.js';
import { outboxStore } from './approvals/outbox.js';
import { claimedKeysStore } from './calls/claimed-keys.js';
import { decisionsStore } from './decisions.js';
import type { EngineOptions } from './engine.js';
import { eventsStore } from './events.js';
import { keptCallsStore } from './calls/kept-calls.js';
import { OpenCalls, openCallsStore } from './calls/open-calls.js';
import { quotasStore } from './quotas.js';
import type { ReceiptChains } from './receipts.js';
import { retentionStore } from './retention.js';
import { runsStore } from './runs.js';
import { settingsStore } from './settings.js';

/** Larger than a page, so that a probe fails where the next real write would. */
const fillerBytes = 16_384;

const noNews = { required: () => undefined, settled: () => undefined };

export function sqliteStore(
  database: Database.Database,
  chains: ReceiptChains,
  { signingKey, hasWebhook = false }: Pick<EngineOptions, 'signingKey' | 'hasWebhook'>,
): Store {
  const fill = database.prepare<[number]>(
    'UPDATE probe SET count = count + 1, filler = zeroblob(?) WHERE id = 1',
  );
  const kept = keptCallsStore(database);
  const { purgeDecisions, ...decisions } = decisionsStore(database);
  const rows = new ApprovalRows(database);
  const { news, purgeDeliveries, ...deliveries } = outboxStore(database, rows, chains);
  const parts = { rows, chains, open: new OpenCalls(database), news: hasWebhook ? news : noNews };
  const { purgeEvents, ...events } = eventsStore(database);
  return {
    ...settingsStore(database, chains),
    ...kept,
    ...decisions,
    ...events,
    purgeExpired: (ask) =>
      kept.purgeExpired(ask) + purgeDecisions(ask.now) + purgeEvents(ask.now) + purgeDeliveries(ask.now),
    ...claimedKeysStore(database),
    ...quotasStore(database),
    ...approvalsStore(parts),
    ...openCallsStore(database, parts),
    ...deliveries,
    ...runsStore(database, chains),
    appendReceipts: chains.appendReceipts,
    listReceipts: chains.listReceipts,
    readReceipt: chains.readReceipt,
    ...retentionStore({ database, chains, signingKey }),
    probe: () => {
      fill.run(fillerBytes);
      fill.run(0);
    },
  };
}
