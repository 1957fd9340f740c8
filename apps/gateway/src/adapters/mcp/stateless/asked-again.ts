import type { ApprovalView, Caller, InstanceId } from '@uar/contracts';
import { JsonText } from '@uar/json-text';
import { z } from 'zod';
import type { Resumed } from '../../../domain/approval/parked-calls.js';
import type { ParkedAnywhere } from '../../bus/parked/parked-anywhere.js';
import {
  callResult,
  callMetaKey,
  RpcError,
  spentResult,
  waitingFacts,
  waitingResult,
} from '../calls/call-result.js';
import { pageMessage } from '../client/elicitations.js';
import type { CallRequest } from '../calls/tool-call.js';
import { rpcCodes } from '../rpc-codes.js';
import { complete, inputRequired } from './answers.js';
import type { StatelessRequest } from './envelope.js';
import type { RequestStates, SameCall } from './request-state.js';

interface AgainParts {
  readonly states: RequestStates;
  readonly parked: Pick<ParkedAnywhere, 'resume'>;
  readonly gateway: InstanceId;
  /** Milliseconds that a client waits for the human before it is asked to come again. */
  readonly waitMs: number;
  /** Where people decide an approval. */
  readonly pageUrl: (approvalId: string) => string;
}

/** What the client answered is no vote, and not looked into (ADR 33). */
const Retry = z.looseObject({
  name: z.string(),
  arguments: z.instanceof(JsonText).optional(),
  requestState: z.string(),
  inputResponses: z.record(z.string(), z.looseObject({})).optional(),
  _meta: z.looseObject({ progressToken: z.union([z.string(), z.number()]).optional() }).optional(),
});

const Progress = z.record(z.string(), z.unknown());

type Asked = StatelessRequest & Pick<CallRequest, 'onCancel' | 'notify' | 'runs'>;

/** A call that waits for a human, over several requests: each goes out with what the next one has to bring (MCP 2026-07-28, "Multi round-trip requests"). */
export class AskedAgain {
  constructor(private readonly parts: AgainParts) {}

  /** The interim answer of a call that waits. */
  ask(call: SameCall, approval: ApprovalView): JsonText {
    const { states, gateway, pageUrl } = this.parts;
    const { approval_id, call_id, tool, expires_at } = approval;
    const params = { mode: 'url', url: pageUrl(approval_id), message: pageMessage(tool) };
    const until = Date.parse(expires_at);
    return inputRequired({
      inputRequests: { [approval_id]: { method: 'elicitation/create', params } },
      requestState: states.write({ call: call_id, approval: approval_id, gateway, until }, call),
      _meta: { [callMetaKey]: waitingFacts(call_id, approval) },
    });
  }

  /** The same call with what it was given before: nothing new is proposed. */
  async answer(
    asked: Asked,
    { caller, publicName }: { readonly caller: Caller; publicName(tool: string): string },
  ): Promise<JsonText> {
    const retry = Retry.safeParse(asked.params);
    if (!retry.success)
      throw new RpcError(rpcCodes.invalidParams, 'requestState and inputResponses have another shape');
    const { name, arguments: text, requestState } = retry.data;
    const call = { caller, toolName: publicName(name), argumentsJson: text?.text ?? '{}' };
    const state = this.parts.states.read(requestState, call);
    if (state === undefined) throw foreign();
    const token = retry.data._meta?.progressToken;
    const ask = {
      ...{ caller, callId: state.call, approvalId: state.approval, waitMs: this.parts.waitMs },
      onCancel: (listener: () => void): void => asked.onCancel(listener),
      ...(token !== undefined && {
        onProgress: (text: string): void =>
          asked.notify({ ...Progress.parse(JSON.parse(text)), progressToken: token }),
      }),
    };
    const resumed = await this.parts.parked.resume(ask, state.gateway);
    return this.said(resumed, call, asked);
  }

  private said(
    resumed: Resumed | { readonly kind: 'unavailable' },
    call: SameCall,
    { opensPages }: Asked,
  ): JsonText {
    switch (resumed.kind) {
      case 'unknown':
        throw foreign();
      case 'unavailable':
        throw new RpcError(
          rpcCodes.internalError,
          'the gateway of this call cannot be asked now: come back with this requestState',
        );
      case 'pending': {
        const { approval } = resumed;
        return opensPages ? this.ask(call, approval) : complete(waitingResult(approval.call_id, approval));
      }
      case 'ended': {
        const { ended } = resumed;
        const isSpent = ended.outcome === 'completed' || ended.outcome === 'tool_error';
        return complete(isSpent && ended.resultJson === undefined ? spentResult(ended) : callResult(ended));
      }
    }
  }
}

/** One answer to what is forged, another's, expired or of another call: it must not tell which. */
function foreign(): RpcError {
  return new RpcError(
    rpcCodes.invalidParams,
    'this requestState is not of this call, or not any more: make the call without it',
  );
}
