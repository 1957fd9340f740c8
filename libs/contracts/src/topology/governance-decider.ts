import * as host from '../calls/host.js';
import * as item from '../calls/item.js';
import * as catalog from '../catalog/catalog.js';
import * as ledger from '../ledger/ledger.js';
import * as receipt from '../ledger/receipt.js';
import * as decisionLog from '../policies/decision-log.js';
import * as explain from '../policies/explain.js';
import * as governance from '../policies/governance.js';
import * as policy from '../policies/policy-exchanges.js';
import * as rehearsal from '../policies/rehearsal.js';
import * as simulate from '../policies/simulate.js';
import type { BusRights } from '../topology.js';

export const governanceDecider: BusRights = {
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
    host.hosts.mcp.agreeKey,
    host.hosts.native.agreeKey,
    ledger.readSettings,
    ledger.writeSetting,
    receipt.appendReceipts,
    decisionLog.recordDecisions,
    decisionLog.readDecisions,
  ],
  announces: [governance.policiesChanged],
  listens: [catalog.catalogChanged, catalog.catalogBeat, ledger.settingsChanged],
};
