import {
  effectOf,
  outcomes,
  type ErrorBody,
  type InstanceId,
  type Outcome,
  type ReceiptPosition,
} from '@uar/contracts';
import { JsonText, stringifyWithText } from '@uar/json-text';
import type { DecisionFacts, EndedCall, PendingCall } from '../call/proposed-call.js';

export interface CallViewOptions {
  /** For holders of `explain` only. */
  readonly explained?: boolean;
  readonly receipt?: ReceiptPosition | null;
  /** What the upstream sent is not here any more, or was never kept: `true`, or where it may still be. */
  readonly withoutResult?: boolean | NotKept;
}

/** `error.details` of a result that was too long to be kept. */
export interface NotKept {
  /** So long it is. */
  readonly bytes: number;
  /** The gateway that holds it in memory, for a time. */
  readonly gateway: InstanceId;
}

export const resultNotKept = 'result_not_kept';

/** CallView (API.md 2) as JSON text. The result stands in it as the upstream sent it, numbers of any size included. */
export function callViewText(call: PendingCall | EndedCall, options: CallViewOptions = {}): string {
  const { callId, runId, toolName, approval, durationMs } = call;
  return stringifyWithText({
    call_id: callId,
    run_id: runId,
    tool: toolName,
    ...outcomeMembers(call, options.withoutResult ?? false),
    decision: decisionView(call.decision, options.explained === true),
    approval,
    receipt: options.receipt ?? null,
    duration_ms: durationMs,
  });
}

export function statusOf(call: PendingCall | EndedCall): number {
  return call.kind === 'pending' ? 202 : outcomes[call.outcome].http;
}

function outcomeMembers(call: PendingCall | EndedCall, withoutResult: boolean | NotKept): object {
  if (call.kind === 'pending')
    return { outcome: 'pending', effect: null, success: false, result: null, error: null };
  const { outcome, resultJson } = call;
  return {
    outcome,
    effect: effectOf(outcome),
    success: outcome === 'completed',
    result: resultJson === undefined || withoutResult !== false ? null : new JsonText(resultJson),
    error: errorOf(call, withoutResult),
  };
}

function errorOf(call: EndedCall, withoutResult: boolean | NotKept): ErrorBody['error'] | null {
  if (hasResult(call.outcome)) return withoutResult === false ? null : notKept(withoutResult);
  const details = detailsOf(call, withoutResult !== false);
  return { code: call.outcome, message: call.message, ...(details === undefined ? {} : { details }) };
}

function notKept(why: true | NotKept): ErrorBody['error'] {
  const details = why === true ? {} : { details: why };
  return { code: resultNotKept, message: 'The result is not kept.', ...details };
}

function hasResult(outcome: Outcome): boolean {
  return outcome === 'completed' || outcome === 'tool_error';
}

function detailsOf(
  { details, upstreamError, retryAfterMs, faultId }: EndedCall,
  withoutData: boolean,
): unknown {
  if (details !== undefined) return details;
  if (faultId !== undefined) return { fault_id: faultId };
  if (retryAfterMs !== undefined) return { retry_after_ms: retryAfterMs };
  if (upstreamError === undefined) return undefined;
  const { code, message, dataJson } = upstreamError;
  return {
    code,
    message,
    ...(dataJson === undefined || withoutData ? {} : { data: new JsonText(dataJson) }),
  };
}

function decisionView(decision: DecisionFacts | null, explained: boolean): object | null {
  if (decision === null) return null;
  const { kind, policyVersion, determining, cause } = decision;
  const explanation = { determining, ...(cause === undefined ? {} : { cause }) };
  return { kind, policy_version: policyVersion, ...(explained ? { explanation } : {}) };
}
