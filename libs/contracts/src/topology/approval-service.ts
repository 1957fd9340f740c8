import * as approval from '../calls/approval.js';
import * as event from '../calls/event.js';
import * as run from '../calls/run.js';
import * as webhook from '../calls/webhook.js';
import * as account from '../ledger/account.js';
import * as ledger from '../ledger/ledger.js';
import * as receipt from '../ledger/receipt.js';
import * as decisionLog from '../policies/decision-log.js';
import * as governance from '../policies/governance.js';
import * as limits from '../settings/limits.js';
import type { BusRights } from '../topology.js';

export const approvalService: BusRights = {
  answers: [
    approval.createApproval,
    approval.readApproval,
    approval.listApprovals,
    approval.castVote,
    approval.readApprovalStatus,
    approval.consumeApproval,
    approval.endApproval,
    webhook.listDeliveries,
    webhook.retryDelivery,
    receipt.writeIntent,
    receipt.appendReceipts,
    receipt.listReceipts,
    receipt.readReceipt,
    receipt.verifyReceipts,
    account.readAccount,
    account.writeAccount,
    account.leaseAccount,
    account.keepAuthorization,
    account.takeAuthorization,
    ledger.readSettings,
    ledger.writeSetting,
    ledger.keepCall,
    ledger.readKeptCall,
    ledger.claimKey,
    ledger.readLedgerStatus,
    decisionLog.recordDecisions,
    decisionLog.readDecisions,
    run.putRun,
    run.readRun,
    event.appendEvents,
    event.readEvents,
    limits.takeQuota,
  ],
  asks: [governance.authorizeActions, approval.reviewVotes, approval.readPresence],
  announces: [
    approval.approvalRequired,
    approval.approvalSettled,
    webhook.webhookAttempted,
    ledger.settingsChanged,
    account.accountChanged,
    run.runChanged,
    event.eventsAppended,
  ],
  listens: [],
};
