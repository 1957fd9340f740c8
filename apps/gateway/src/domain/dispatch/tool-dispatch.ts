import type { RunningCall } from '../call/running-call.js';
import type { StagedCall } from '../call/staging.js';
import type { Dispatch } from './dispatcher.js';
import { placedTool } from './placement.js';

/** A tool call as its host gets it. */
export function toolDispatch(call: RunningCall, { entry }: StagedCall): Dispatch {
  const { facts } = entry;
  const { seat } = call;
  const { argumentsJson } = call.proposed;
  return {
    placed: placedTool(entry),
    send: (hosts, { target, grant, timeoutMs, withinMs, mostResultBytes, callerToken }) =>
      hosts.run(
        target,
        {
          grant,
          call_id: call.callId,
          tenant: call.caller.principal.tenant,
          server: facts.server,
          raw_name: facts.raw_name,
          definition_digest: facts.definition_digest,
          arguments_json: argumentsJson,
          timeout_ms: timeoutMs,
          max_result_bytes: mostResultBytes,
          // Its run's events show it, whether or not the caller itself asked.
          wants_progress: true,
          ...(seat === undefined ? {} : { seat }),
          ...(callerToken === undefined ? {} : { caller_token: callerToken }),
        },
        withinMs,
      ),
  };
}
