import { effectOf, outcomes } from '@uar/contracts';
import { JsonText, withMeta } from '@uar/json-text';
import type { ItemEnded } from '../../../domain/item/item-desk.js';
import { callMetaKey, RpcError, UpstreamRpcError } from '../calls/call-result.js';
import { rpcCodes } from '../rpc-codes.js';
import type { ItemParams } from './item-params.js';

/** The result with `_meta["io.uar/call"]`, or a thrown RpcError: for these requests MCP knows no result that says no. */
export function itemResult(ended: ItemEnded, wanted: ItemParams): JsonText {
  const { outcome, resultJson, upstreamError, message, faultId } = ended;
  if (outcome === 'completed' && resultJson !== undefined)
    return new JsonText(withMeta(resultJson, callMetaKey, JSON.stringify(metaOf(ended))));
  const data = { ...(faultId !== undefined && { fault_id: faultId }), [callMetaKey]: metaOf(ended) };
  if (upstreamError !== undefined) throw new UpstreamRpcError(upstreamError, data);
  if (isHidden(ended)) throw notFound(wanted, data);
  throw new RpcError(rpcCodes.internalError, message, data);
}

/** One text for what does not exist and for what the caller may not know of. */
function notFound({ kind, id }: ItemParams, data: object): RpcError {
  if (kind === 'prompt') return new RpcError(rpcCodes.invalidParams, 'there is no such prompt', data);
  return new RpcError(rpcCodes.resourceNotFound, 'there is no such resource', { uri: id, ...data });
}

/** Outcomes of the stages that ask whether the caller may. */
function isHidden({ outcome }: ItemEnded): boolean {
  const { http } = outcomes[outcome];
  return http === 403 || http === 404;
}

function metaOf({ callId, outcome, retryAfterMs }: ItemEnded): object {
  return {
    ...{ call_id: callId, outcome, effect: effectOf(outcome) },
    ...(retryAfterMs !== undefined && { retry_after_ms: retryAfterMs }),
  };
}
