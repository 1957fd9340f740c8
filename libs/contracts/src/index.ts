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

export * from './calls/index.js';
export * from './catalog/index.js';
export * from './ledger/index.js';
export * from './policies/index.js';
export * from './settings/index.js';
