export { attendCall } from './attend.js';
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
} from './approval.js';
export { CallerTokenClaims, CallerTokenText, TokenKey } from './caller-token.js';
export { CallView, ErrorBody, ExecuteBody } from './call.js';
export { beginConnection, finishConnection, forgetConnection } from './connection.js';
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
} from './event.js';
export { GrantClaims, GrantTarget, KeyOffer } from './grant.js';
export { CallMethod, ItemMethod, LogLevel, Seat, isAtLeast } from './seat.js';
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
  withdrawAsk,
  type HostItemRequest,
} from './item.js';
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
} from './host.js';
export { Outcome, effectOf, outcomes } from './outcome.js';
export { leaveCall, resumeCall } from './resume.js';
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
} from './run.js';
export { DeliveryEvent, DeliveryStatus, DeliveryView, webhookAttempted, type AttemptEnd } from './webhook.js';
export { DeliveryId, listDeliveries, retryDelivery } from './webhook.js';
