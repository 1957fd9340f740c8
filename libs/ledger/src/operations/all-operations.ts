import type { KeyObject } from 'node:crypto';
import type { SqlDatabase } from '../sql/database.js';
import type { Store } from '../store.js';
import { accountsStore, forgettingAccounts } from './accounts.js';
import { ApprovalRows } from './approvals/approval-rows.js';
import { approvalsStore } from './approvals/approvals.js';
import { outboxStore } from './approvals/outbox.js';
import { authorizationsStore } from './authorizations.js';
import { claimedKeysStore } from './calls/claimed-keys.js';
import { decisionsStore } from './decisions.js';
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

export function allOperations(
  database: SqlDatabase,
  chains: ReceiptChains,
  { signingKey, hasWebhook = false }: { readonly signingKey: KeyObject; readonly hasWebhook?: boolean },
): Store {
  const fill = database.prepare<[Buffer]>('UPDATE probe SET count = count + 1, filler = ? WHERE id = 1');
  const kept = keptCallsStore(database);
  const { purgeDecisions, ...decisions } = decisionsStore(database);
  const rows = new ApprovalRows(database);
  const { news, purgeDeliveries, ...deliveries } = outboxStore(database, rows, chains);
  const parts = { rows, chains, open: new OpenCalls(database), news: hasWebhook ? news : noNews };
  const { purgeEvents, ...events } = eventsStore(database);
  return {
    ...settingsStore(database, { chains, forgetAccounts: forgettingAccounts(database) }),
    ...accountsStore(database, chains),
    ...authorizationsStore(database),
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
      fill.run(Buffer.alloc(fillerBytes));
      fill.run(Buffer.alloc(0));
    },
  };
}
