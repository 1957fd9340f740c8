import {
  CallView,
  InstanceId,
  outcomes,
  type ApprovalView,
  type CallId,
  type Outcome,
  type RunId,
} from '@uar/contracts';
import { memberText } from '@uar/json-text';
import { z } from 'zod';
import type { CallEnding, UpstreamError } from '../call/proposed-call.js';
import { resultNotKept } from './call-view.js';

/** What a CallView says of its call. */
export interface ReadView {
  readonly callId: CallId;
  readonly runId: RunId | undefined;
  readonly approval: ApprovalView | null;
  readonly durationMs: number;
  /** Undefined: it has not ended. `completed` and `tool_error` without a result: it is not kept. */
  readonly ended: CallEnding | undefined;
}

/** The result is read as text alone. */
const Ours = CallView.pick({
  call_id: true,
  run_id: true,
  outcome: true,
  error: true,
  approval: true,
  receipt: true,
  duration_ms: true,
}).strip();
type Ours = z.output<typeof Ours>;

const UpstreamDetails = z.looseObject({ code: z.number(), message: z.string() });
const FaultDetails = z.looseObject({ fault_id: z.string() });
const RetryDetails = z.looseObject({ retry_after_ms: z.number() });

/** The reverse of `callViewText`: what an upstream sent stands in it as it was sent. */
export function readView(viewJson: string): ReadView {
  const view = Ours.parse(JSON.parse(viewJson));
  const { call_id: callId, run_id: runId, approval, duration_ms: durationMs, outcome } = view;
  const ended = outcome === 'pending' ? undefined : endingOf(view, outcome, viewJson);
  return { callId, runId, approval, durationMs, ended };
}

function endingOf({ call_id, error, receipt }: Ours, outcome: Outcome, viewJson: string): CallEnding {
  const result = memberText(viewJson, 'result');
  return {
    callId: call_id,
    outcome,
    message: error?.message ?? outcomes[outcome].text,
    intent: receipt,
    ...(result !== undefined && result !== 'null' && { resultJson: result }),
    ...factsOf(outcome, error?.details, viewJson),
  };
}

function factsOf(outcome: Outcome, details: unknown, viewJson: string): Partial<CallEnding> {
  if (details === undefined) return {};
  const upstream = UpstreamDetails.safeParse(details);
  if (outcome === 'upstream_error' && upstream.success)
    return { upstreamError: upstreamErrorOf(upstream.data, viewJson) };
  const fault = FaultDetails.safeParse(details);
  if (outcome === 'internal_fault' && fault.success) return { faultId: fault.data.fault_id };
  const retry = RetryDetails.safeParse(details);
  return retry.success ? { retryAfterMs: retry.data.retry_after_ms } : { details };
}

function upstreamErrorOf(
  { code, message }: z.output<typeof UpstreamDetails>,
  viewJson: string,
): UpstreamError {
  const details = memberText(memberText(viewJson, 'error') ?? '{}', 'details') ?? '{}';
  const dataJson = memberText(details, 'data');
  return { code, message, ...(dataJson !== undefined && { dataJson }) };
}

const HeldDetails = z.looseObject({
  code: z.literal(resultNotKept),
  details: z.looseObject({ gateway: InstanceId }),
});

/** Of a CallView without its result: the gateway that may hold it in memory. */
export function holderOf(viewJson: string): InstanceId | undefined {
  const error = memberText(viewJson, 'error');
  return error?.includes(resultNotKept) === true
    ? HeldDetails.safeParse(JSON.parse(error)).data?.details.gateway
    : undefined;
}
