import * as attend from '../calls/attend.js';
import * as approval from '../calls/approval.js';
import * as connection from '../calls/connection.js';
import * as event from '../calls/event.js';
import * as host from '../calls/host.js';
import * as item from '../calls/item.js';
import * as resume from '../calls/resume.js';
import * as run from '../calls/run.js';
import * as webhook from '../calls/webhook.js';
import * as catalog from '../catalog/catalog.js';
import * as change from '../catalog/change.js';
import * as ledger from '../ledger/ledger.js';
import * as receipt from '../ledger/receipt.js';
import * as explain from '../policies/explain.js';
import * as governance from '../policies/governance.js';
import * as policy from '../policies/policy-exchanges.js';
import * as rehearsal from '../policies/rehearsal.js';
import * as simulate from '../policies/simulate.js';
import * as limits from '../settings/limits.js';
import type { BusRights } from '../topology.js';

const betweenGateways = [approval.readPresence, attend.attendCall, resume.resumeCall, resume.leaveCall];

export const gateway: BusRights = {
  answers: [approval.reviewVotes, ...betweenGateways, item.askClient, item.withdrawAsk],
  asks: [
    catalog.readCatalog,
    catalog.listServers,
    catalog.putServer,
    catalog.patchServer,
    catalog.deleteServer,
    catalog.readHealth,
    catalog.probeServer,
    change.listChanges,
    change.decideChange,
    governance.decideCall,
    governance.issueGrant,
    item.decideItem,
    governance.discoverTools,
    governance.authorizeActions,
    governance.readGovernanceStatus,
    policy.readPolicies,
    policy.validatePolicies,
    policy.writePolicies,
    policy.proposePolicies,
    policy.listProposals,
    policy.readProposal,
    policy.withdrawProposal,
    policy.listPolicyVersions,
    policy.readPolicySchema,
    explain.explainCall,
    simulate.simulateCalls,
    rehearsal.replayDecisions,
    rehearsal.writeShadow,
    rehearsal.readShadow,
    ...betweenGateways,
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
    ledger.keepCall,
    ledger.readKeptCall,
    ledger.claimKey,
    ledger.readLedgerStatus,
    ledger.readSettings,
    ledger.writeSetting,
    limits.takeQuota,
    run.putRun,
    run.readRun,
    event.appendEvents,
    event.readEvents,
    host.hosts.mcp.run,
    host.hosts.mcp.cancel,
    item.runItem,
    item.listItems,
    connection.beginConnection,
    connection.finishConnection,
    connection.forgetConnection,
    host.hosts.native.run,
    host.hosts.native.cancel,
  ],
  announces: [limits.limitsSpent],
  listens: [
    catalog.catalogChanged,
    catalog.catalogBeat,
    catalog.hostBeat,
    governance.policiesChanged,
    ledger.settingsChanged,
    limits.limitsSpent,
    run.runChanged,
    event.eventsAppended,
    approval.approvalRequired,
    approval.approvalSettled,
    webhook.webhookAttempted,
    host.callProgressed,
    item.upstreamNotified,
  ],
};
