import type { Item, ItemMethod } from '@uar/contracts';
import type { RunningCall } from '../call/running-call.js';
import type { Dispatch } from '../dispatch/dispatcher.js';
import type { Placed } from '../dispatch/placement.js';

/** A request about an item as its host gets it. */
export function itemDispatch(
  call: RunningCall,
  { item, method, placed }: { readonly item: Item; readonly method: ItemMethod; readonly placed: Placed },
): Dispatch {
  const { seat } = call;
  const { argumentsJson, onProgress } = call.proposed;
  return {
    placed,
    send: (hosts, { target, grant, timeoutMs, withinMs, mostResultBytes, callerToken }) =>
      hosts.runItem(
        target,
        {
          grant,
          call_id: call.callId,
          tenant: call.caller.principal.tenant,
          server: item.server,
          method,
          item_id: item.id,
          params_json: argumentsJson,
          timeout_ms: timeoutMs,
          max_result_bytes: mostResultBytes,
          wants_progress: onProgress !== undefined,
          ...(seat === undefined ? {} : { seat }),
          ...(callerToken === undefined ? {} : { caller_token: callerToken }),
        },
        withinMs,
      ),
  };
}
