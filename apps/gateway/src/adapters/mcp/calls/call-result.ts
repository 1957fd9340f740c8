import { type ApprovalView, effectOf, outcomes, type ReceiptPosition } from '@uar/contracts';
import { JsonText, withMeta } from '@uar/json-text';
import type { CallEnding, UpstreamError } from '../../../domain/call/proposed-call.js';
import { resultNotKept } from '../../../domain/view/call-view.js';
import { rpcCodes } from '../rpc-codes.js';

/** What a JSON-RPC error answer carries; the SDK's protocol layer reads these three members. */
export class RpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message);
  }
}

/** An error of the upstream keeps its code and message; its data stands beside ours. */
export class UpstreamRpcError extends RpcError {
  /** What the upstream asked for during the call that the client did not declare. */
  readonly lacking: readonly string[];

  constructor({ code, message, dataJson, lacking = [] }: UpstreamError, data: object) {
    super(code, message, { ...data, ...(dataJson !== undefined && { upstream: new JsonText(dataJson) }) });
    this.lacking = lacking;
  }
}

/** The result of a request that asks for nothing back (MCP `EmptyResult`). */
export const emptyResult = new JsonText('{}');

export const callMetaKey = 'io.uar/call';

/**
 * The MCP form of an ended call (DESIGN.md 3): the tool's own result untouched but for `_meta["io.uar/call"]`, a result with
 * `isError` and a fixed text, or a thrown `RpcError`. A `silent` outcome gets the text too: whoever cancelled never sees it.
 */
export function callResult(ended: CallEnding): JsonText {
  const { mcp } = outcomes[ended.outcome];
  const meta = metaOf(ended, ended.intent);
  switch (mcp.kind) {
    case 'result':
      return new JsonText(withMeta(ended.resultJson ?? '{"content":[]}', callMetaKey, meta));
    case 'json_rpc_error':
      throw rpcError(ended, mcp.code, meta);
    case 'error_result':
    case 'silent':
      return errorResult(explained(ended), meta);
  }
}

/** The JSON-RPC form of any call that ended without a result of its tool. */
export function callError(ended: CallEnding): RpcError {
  const { mcp } = outcomes[ended.outcome];
  const code = mcp.kind === 'json_rpc_error' ? mcp.code : rpcCodes.internalError;
  return rpcError({ ...ended, message: explained(ended) }, code, metaOf(ended, ended.intent));
}

/** The answer of whoever reads a task whose result is nowhere any more: nothing else is said of what ended well. */
export function notKeptError(ended: CallEnding): RpcError {
  const call: unknown = JSON.parse(metaOf(ended, ended.intent));
  const data = { reason: resultNotKept, ...(ended.details !== undefined && { details: ended.details }) };
  const message = 'the call has ended, and its result is not kept any more';
  return new RpcError(rpcCodes.invalidParams, message, { ...data, [callMetaKey]: call });
}

/** What `_meta["io.uar/call"]` says of a call that has ended. */
export function endedFacts(ended: CallEnding): unknown {
  return JSON.parse(metaOf(ended, ended.intent));
}

/** The interim answer of a call that waits for a human, for clients that cannot be told otherwise (DESIGN.md 9). */
export function waitingResult(callId: string, approval: ApprovalView): JsonText {
  const text =
    `This call waits for a human: approval ${approval.approval_id} is pending until ${approval.expires_at}. ` +
    'Nothing has run. Make the same call again to wait for the decision.';
  return errorResult(text, JSON.stringify(waitingFacts(callId, approval)));
}

/** What `_meta["io.uar/call"]` says of a call that waits for a human. */
export function waitingFacts(callId: string, approval: ApprovalView) {
  return { call_id: callId, outcome: 'pending', effect: null, approval_id: approval.approval_id };
}

/** The answer of whoever asks for the result of a call that was given to somebody before: it is not kept. */
export function spentResult(ended: CallEnding): JsonText {
  const text = 'This call has run, and its result was given to whoever waited for it. Nothing has run now.';
  return errorResult(text, metaOf(ended, ended.intent));
}

/** The refusal of a request that never became a call, because a part that every call needs is not there. */
export function unavailableError(): RpcError {
  return new RpcError(rpcCodes.internalError, outcomes.unavailable.text);
}

function metaOf(ended: CallEnding, intent: ReceiptPosition | null): string {
  return JSON.stringify({
    call_id: ended.callId,
    outcome: ended.outcome,
    effect: effectOf(ended.outcome),
    ...(intent !== null && { receipt: intent }),
    ...(ended.retryAfterMs !== undefined && { retry_after_ms: ended.retryAfterMs }),
  });
}

function rpcError(ended: CallEnding, code: number, meta: string): RpcError {
  const { upstreamError, faultId } = ended;
  const call: unknown = JSON.parse(meta);
  const data = { ...(faultId !== undefined && { fault_id: faultId }), [callMetaKey]: call };
  if (upstreamError === undefined) return new RpcError(code, ended.message, data);
  return new UpstreamRpcError(upstreamError, data);
}

function explained(ended: CallEnding): string {
  return ended.details === undefined ? ended.message : `${ended.message} ${JSON.stringify(ended.details)}`;
}

function errorResult(text: string, meta: string): JsonText {
  return new JsonText(
    `{"content":[{"type":"text","text":${JSON.stringify(text)}}],"isError":true,"_meta":{"${callMetaKey}":${meta}}}`,
  );
}
