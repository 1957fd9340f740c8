export { AgentBody, AgentId, AgentView, Scope, Selection, agentsNamespace } from './agent.js';
export {
  announcement,
  exchange,
  type Announcement,
  type AnswerOf,
  type AskOf,
  type BodyOf,
  type Exchange,
} from './exchange.js';
export {
  ApprovalId,
  CallId,
  Digest,
  EpochMs,
  HostKind,
  InstanceId,
  IsoTime,
  RunId,
  ServerName,
  TenantId,
  ToolName,
} from './ids.js';
export { Caller, Capability, Channel, Principal, ProfileName, RunLimits } from './principal.js';
export { agentOf, principalId } from './principal.js';
export { topology, type BusRights, type ServiceName } from './topology.js';

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
  readPresence,
  readApprovalStatus,
  reviewVotes,
} from './calls/approval.js';
export { CallView, ErrorBody, ExecuteBody } from './calls/call.js';
export {
  EventGroup,
  EventPayload,
  EventRun,
  EventType,
  RunEventView,
  TenantEventView,
  KeptGroup,
  NotedEvent,
  PlacedGroup,
  appendEvents,
  eventsAppended,
  groupBytes,
  mostGrouped,
  readEvents,
} from './calls/event.js';
export { GrantClaims, GrantTarget } from './calls/grant.js';
export { CallMethod, ItemMethod, LogLevel, Seat } from './calls/seat.js';
export {
  Item,
  ItemListName,
  ItemQuestion,
  askClient,
  decideItem,
  listItems,
  longestItemId,
  runItem,
  upstreamNotified,
  type HostItemRequest,
} from './calls/item.js';
export {
  HostAnswer,
  NativeToolStatement,
  callProgressed,
  hosts,
  listPageBytes,
  readNativeStatements,
  reconnectServer,
  tryServer,
  type HostCall,
} from './calls/host.js';
export { Outcome, effectOf, outcomes } from './calls/outcome.js';
export { leaveCall, resumeCall } from './calls/resume.js';
export {
  EffectiveView,
  RunBody,
  RunPatch,
  RunStatus,
  RunView,
  ScopeWarning,
  StoredRun,
  putRun,
  readRun,
  runChanged,
  runPolicyKey,
  runPolicyNamespace,
} from './calls/run.js';
export {
  DeliveryEvent,
  DeliveryStatus,
  DeliveryView,
  webhookAttempted,
  type AttemptEnd,
} from './calls/webhook.js';
export { DeliveryId, listDeliveries, retryDelivery } from './calls/webhook.js';

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
} from './catalog/catalog.js';
export {
  ChangeDecided,
  ChangeList,
  DefinitionChange,
  DefinitionDiff,
  DefinitionDifference,
  decideChange,
  listChanges,
} from './catalog/change.js';
export {
  HealthView,
  ServerConfig,
  ServerHealth,
  ServerReport,
  ServerStatus,
  ServerView,
  ToolOverride,
} from './catalog/server.js';
export { CatalogEntry, ToolFacts, ToolListView, ToolView } from './catalog/tool.js';

export {
  Setting,
  claimKey,
  keepCall,
  readKeptCall,
  readLedgerStatus,
  readSettings,
  settingsChanged,
  writeSetting,
} from './ledger/ledger.js';
export {
  AppendedReceipt,
  Receipt,
  ReceiptBody,
  ReceiptCheckpoint,
  ReceiptPosition,
  ReceiptVerification,
  appendReceipts,
  genesisHash,
  listReceipts,
  readReceipt,
  verifyReceipts,
  writeIntent,
} from './ledger/receipt.js';

export {
  RecordedDecision,
  RecordedFacts,
  RecordedVerdict,
  readDecisions,
  recordDecisions,
  type RecordedArguments,
  type RecordedDirectory,
} from './policies/decision-log.js';
export {
  CallExplanation,
  DeterminingPolicy,
  ExplainBody,
  ExplainHint,
  ExplainedArguments,
  ExplainedFacts,
  ExplainedGate,
  ExplainedStage,
  ExplanationView,
  FailedCondition,
  PrincipalSpec,
  SubjectAnswer,
  explainCall,
} from './policies/explain.js';
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
} from './policies/governance.js';
export {
  PolicyChange,
  listPolicyVersions,
  listProposals,
  proposePolicies,
  readPolicies,
  readPolicySchema,
  readProposal,
  validatePolicies,
  withdrawProposal,
  writePolicies,
} from './policies/policy-exchanges.js';
export {
  DeletePoliciesBody,
  DryRunView,
  PoliciesView,
  PolicyDifferences,
  PolicyFindings,
  PolicyProblemView,
  PolicyProposalView,
  PolicySchemaView,
  PolicyVersion,
  PolicyVersionView,
  ProposeBody,
  PutPoliciesBody,
  StoredProposal,
  StoredVersionTexts,
  StoredVersions,
  ValidateBody,
  ValidationView,
  WrittenPolicies,
  policiesNamespace,
  policyProposalNamespace,
  policySetKey,
  policyTextNamespace,
  policyVersionKey,
  policyVersionNamespace,
} from './policies/policy.js';
export {
  ReplayBody,
  ReplayView,
  ShadowBody,
  ShadowView,
  StoredShadow,
  readShadow,
  replayDecisions,
  shadowKey,
  shadowNamespace,
  writeShadow,
} from './policies/rehearsal.js';
export {
  SimulateBody,
  SimulatedVerdict,
  SimulationView,
  simulateCalls,
  simulationBounds,
  type CellVerdict,
} from './policies/simulate.js';

export { limitsSpent, longestQuotaWindowMs, takeQuota } from './settings/limits.js';
export {
  FileToolSettings,
  NativeToolSettings,
  NativeToolSettingsBody,
  NativeToolSettingsView,
  StoredNativeTools,
  nativeToolsKey,
  nativeToolsNamespace,
  operatorTenant,
} from './settings/native-settings.js';
export {
  StoredTenantSettings,
  TenantSettings,
  TenantSettingsBody,
  TenantSettingsView,
  tenantNamespace,
  tenantSettingsKey,
} from './settings/tenant-settings.js';
