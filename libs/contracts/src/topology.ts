import type { Announcement, Exchange } from './exchange.js';
import * as approval from './calls/approval.js';
import * as catalog from './catalog/catalog.js';
import * as change from './catalog/change.js';
import * as event from './calls/event.js';
import * as explain from './policies/explain.js';
import * as simulate from './policies/simulate.js';
import * as decisionLog from './policies/decision-log.js';
import * as governance from './policies/governance.js';
import * as host from './calls/host.js';
import * as item from './calls/item.js';
import * as ledger from './ledger/ledger.js';
import * as limits from './settings/limits.js';
import * as policy from './policies/policy-exchanges.js';
import * as receipt from './ledger/receipt.js';
import * as rehearsal from './policies/rehearsal.js';
import * as resume from './calls/resume.js';
import * as run from './calls/run.js';
import * as webhook from './calls/webhook.js';

export type ServiceName =
  | 'gateway'
  | 'catalog-registry'
  | 'governance-decider'
  | 'approval-service'
  | 'mcp-connector'
  | 'native-tool-host';

/** What a service may do on the bus: the source of NATS permissions, of the in-process ones and of docs/subjects.md. */
export interface BusRights {
  readonly answers: readonly Exchange[];
  readonly asks: readonly Exchange[];
  readonly announces: readonly Announcement[];
  readonly listens: readonly Announcement[];
}

const hostListens = [catalog.serversChanged, catalog.registryStarted];

export const topology: Readonly<Record<ServiceName, BusRights>> = {
  gateway: {
    answers: [
      approval.reviewVotes,
      approval.readPresence,
      resume.resumeCall,
      resume.leaveCall,
      item.askClient,
    ],
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
      resume.resumeCall,
      resume.leaveCall,
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
  },
  'catalog-registry': {
    answers: [
      catalog.readCatalog,
      catalog.readWantedServers,
      catalog.listServers,
      catalog.putServer,
      catalog.patchServer,
      catalog.deleteServer,
      catalog.readHealth,
      catalog.probeServer,
      change.listChanges,
      change.decideChange,
    ],
    asks: [
      ledger.readSettings,
      ledger.writeSetting,
      event.appendEvents,
      host.tryServer,
      host.reconnectServer,
      host.hosts.mcp.listTools,
      host.hosts.native.listTools,
      host.readNativeStatements,
    ],
    announces: [catalog.catalogChanged, catalog.catalogBeat, catalog.serversChanged, catalog.registryStarted],
    listens: [catalog.hostBeat],
  },
  'governance-decider': {
    answers: [
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
    ],
    asks: [
      catalog.readCatalog,
      ledger.readSettings,
      ledger.writeSetting,
      receipt.appendReceipts,
      decisionLog.recordDecisions,
      decisionLog.readDecisions,
    ],
    announces: [governance.policiesChanged],
    listens: [catalog.catalogChanged, catalog.catalogBeat, ledger.settingsChanged],
  },
  'approval-service': {
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
      run.runChanged,
      event.eventsAppended,
    ],
    listens: [],
  },
  'mcp-connector': {
    answers: [
      host.hosts.mcp.run,
      host.hosts.mcp.cancel,
      host.hosts.mcp.listTools,
      item.runItem,
      item.listItems,
      host.tryServer,
      host.reconnectServer,
    ],
    asks: [catalog.readWantedServers, item.askClient],
    announces: [catalog.hostBeat, host.callProgressed, item.upstreamNotified],
    listens: hostListens,
  },
  'native-tool-host': {
    answers: [
      host.hosts.native.run,
      host.hosts.native.cancel,
      host.hosts.native.listTools,
      host.readNativeStatements,
    ],
    asks: [ledger.readSettings],
    announces: [catalog.hostBeat],
    listens: [catalog.registryStarted, ledger.settingsChanged],
  },
};
