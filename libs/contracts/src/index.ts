export { AgentBody, AgentId, AgentView, Scope, Selection, agentsNamespace } from './agent.js';
export {
  ApprovalDraft,
  ApprovalStatus,
  ApprovalView,
  Vote,
  approvalRequired,
  approvalSettled,
  castVote,
  consumeApproval,
  createApproval,
  endApproval,
  listApprovals,
  readApproval,
  readRelease,
  reviewVotes,
} from './approval.js';
export { CallView, ErrorBody, ExecuteBody } from './call.js';
export {
  CatalogServer,
  WantedServer,
  catalogBeat,
  catalogChanged,
  deleteServer,
  hostBeat,
  listServers,
  patchServer,
  probeServer,
  putServer,
  readCatalog,
  readHealth,
  readWantedServers,
  registryStarted,
  serversChanged,
  type ServerWritten,
} from './catalog.js';
export {
  announcement,
  exchange,
  type Announcement,
  type AnswerOf,
  type AskOf,
  type BodyOf,
  type Exchange,
  type Reach,
} from './exchange.js';
export {
  ActionQuestion,
  AdminAction,
  ApprovalAction,
  ApprovalFacts,
  ApprovalResource,
  CallDecision,
  CallQuestion,
  authorizeActions,
  decideCall,
  discoverTools,
  issueGrant,
  policiesChanged,
  readGovernanceStatus,
} from './governance.js';
export { GrantClaims, GrantTarget, GrantText } from './grant.js';
export {
  HostAnswer,
  NativeToolStatement,
  callProgressed,
  hosts,
  readNativeStatements,
  reconnectServer,
  tryServer,
  type HostCall,
} from './host.js';
export {
  ApprovalId,
  CallId,
  Digest,
  EpochMs,
  InstanceId,
  IsoTime,
  RunId,
  ServerName,
  TenantId,
  ToolName,
} from './ids.js';
export {
  Setting,
  claimKey,
  keepCall,
  readKeptCall,
  readLedgerStatus,
  readSettings,
  settingsChanged,
  writeSetting,
} from './ledger.js';
export { Effect, Outcome, effectOf, outcomes, type McpForm, type OutcomeRow } from './outcome.js';
export { Caller, Capability, Channel, Principal, ProfileName, RunLimits, principalId } from './principal.js';
export {
  Receipt,
  ReceiptBody,
  ReceiptPosition,
  ReceiptVerification,
  appendReceipts,
  genesisHash,
  listReceipts,
  readReceipt,
  verifyReceipts,
  writeIntent,
} from './receipt.js';
export {
  HealthView,
  ServerConfig,
  ServerHealth,
  ServerReport,
  ServerStatus,
  ServerView,
  ToolOverride,
} from './server.js';
export {
  StoredTenantSettings,
  TenantSettings,
  tenantNamespace,
  tenantSettingsKey,
} from './tenant-settings.js';
export { CatalogEntry, ToolFacts, ToolListView, ToolState, ToolView } from './tool.js';
export { topology, type BusRights, type ServiceName } from './topology.js';
