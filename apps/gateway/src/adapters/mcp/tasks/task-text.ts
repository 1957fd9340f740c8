import { outcomes, type ApprovalView } from '@uar/contracts';
import { JsonText, stringifyWithText } from '@uar/json-text';
import { asyncKeptMs } from '../../../domain/execute/execution.js';
import type { ParkedAsk } from '../../../domain/client/parked-asks.js';
import type { Task } from '../../../domain/task/tasks.js';
import type { CallEnding } from '../../../domain/call/proposed-call.js';
import type { ReadView } from '../../../domain/view/read-view.js';
import { timeOfCall } from '../../new-ids.js';
import {
  callError,
  callMetaKey,
  callResult,
  endedFacts,
  notKeptError,
  waitingFacts,
} from '../calls/call-result.js';
import { errorOf } from '../calls/session-requests.js';
import { serverInfo } from '../server-info.js';
import { inputRequestsOf } from '../stateless/answers.js';
import { metaKeys } from '../stateless/meta-keys.js';

/** What a client that reads a task can do for it. */
export interface TaskReader {
  /** Where people decide this approval; undefined where the client opens no pages. */
  approvalRequest(approval: ApprovalView): object | undefined;
}

type Running = Pick<ReadView, 'callId' | 'approval'>;

/** Milliseconds between two looks at a task, as we would like it. */
const pollIntervalMs = 1_000;

/** `CreateTaskResult`: says that there is a task, and nothing of what it asks or gives. */
export function createdTask(call: Running, reader: TaskReader): JsonText {
  return new JsonText(
    JSON.stringify({
      resultType: 'task',
      ...runningTask(call, { isAsked: asksOf(call, reader) !== undefined }),
    }),
  );
}

/** `DetailedTask`, the answer to `tasks/get`. Throws `RpcError` where it has a result that is not kept. */
export function detailedTask({ call, asks }: Task, reader: TaskReader): JsonText {
  const { ended } = call;
  if (ended !== undefined)
    return new JsonText(stringifyWithText({ resultType: 'complete', ...endedTask(call, ended) }));
  const inputRequests = asksOf(call, reader, asks);
  const task = runningTask(call, { isAsked: inputRequests !== undefined });
  return new JsonText(
    stringifyWithText({
      ...{ resultType: 'complete', ...task },
      ...(inputRequests !== undefined && { inputRequests }),
    }),
  );
}

/** By key, what the client can do for it; undefined where there is nothing. */
function asksOf(
  call: Running,
  reader: TaskReader,
  asks: readonly ParkedAsk[] = [],
): Readonly<Record<string, object>> | undefined {
  const approval = pendingApproval(call);
  const page = approval && reader.approvalRequest(approval);
  const requests = {
    ...inputRequestsOf(asks),
    ...(approval && page && { [approval.approval_id]: page }),
  };
  return Object.keys(requests).length === 0 ? undefined : requests;
}

function runningTask(call: Running, { isAsked }: { readonly isAsked: boolean }): object {
  const approval = pendingApproval(call);
  const startedAt = timeOfCall(call.callId);
  const askedAt = call.approval === null ? startedAt : Date.parse(call.approval.created_at);
  return {
    taskId: call.callId,
    status: isAsked ? 'input_required' : 'working',
    ...(approval && {
      statusMessage: `waits for approval ${approval.approval_id} until ${approval.expires_at}`,
    }),
    ...times({ startedAt, updatedAt: Math.max(startedAt, askedAt) }),
    ttlMs: asyncKeptMs,
    pollIntervalMs,
    _meta: metaOf(approval && waitingFacts(call.callId, approval)),
  };
}

function endedTask({ callId, durationMs }: ReadView, ended: CallEnding) {
  const startedAt = timeOfCall(callId);
  const lastedMs = Math.ceil(durationMs);
  return {
    taskId: callId,
    ...endOf(ended),
    ...times({ startedAt, updatedAt: startedAt + lastedMs }),
    ttlMs: lastedMs + asyncKeptMs,
    pollIntervalMs,
    _meta: metaOf(endedFacts(ended)),
  };
}

function endOf(ended: CallEnding): object {
  const { outcome, resultJson, message: statusMessage } = ended;
  if (outcome === 'cancelled' || outcome === 'cancelled_after_dispatch')
    return { status: 'cancelled', statusMessage };
  if (outcomes[outcome].mcp.kind === 'result') {
    if (resultJson === undefined) throw notKeptError(ended);
    return { status: 'completed', result: callResult(ended) };
  }
  return { status: 'failed', statusMessage, error: errorOf(callError(ended)) };
}

function pendingApproval({ approval }: Running): ApprovalView | undefined {
  return approval?.status === 'pending' ? approval : undefined;
}

function times({ startedAt, updatedAt }: { readonly startedAt: number; readonly updatedAt: number }) {
  const iso = (ms: number): string => new Date(ms).toISOString();
  return { createdAt: iso(startedAt), lastUpdatedAt: iso(updatedAt) };
}

function metaOf(call: unknown): object {
  return { [metaKeys.serverInfo]: serverInfo, ...(call !== undefined && { [callMetaKey]: call }) };
}
