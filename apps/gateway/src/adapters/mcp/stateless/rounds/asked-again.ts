import type { ApprovalView, InstanceId } from '@uar/contracts';
import type { JsonText } from '@uar/json-text';
import type { AskedCall, Resumed } from '../../../../domain/approval/parked-calls.js';
import type { CallEnding } from '../../../../domain/call/proposed-call.js';
import type { ConnectedClients } from '../../../../domain/client/connected-clients.js';
import type { ParkedAnywhere } from '../../../bus/parked/parked-anywhere.js';
import { callMetaKey, RpcError, waitingFacts, waitingResult } from '../../calls/call-result.js';
import { progressTokenOf, progressUnder } from '../../calls/params.js';
import { pageRequest } from '../../client/elicitations.js';
import { rpcCodes } from '../../rpc-codes.js';
import { complete, inputRequestsOf, inputRequired } from '../answers.js';
import type { Asked } from '../request-stream.js';
import type { Brought } from './brought.js';
import { listenFor } from './listening.js';
import type { RequestStates, SameCall } from './request-state.js';

interface AgainParts {
  readonly states: RequestStates;
  readonly parked: Pick<ParkedAnywhere, 'resume'>;
  readonly news: Pick<ConnectedClients, 'overhear'>;
  readonly gateway: InstanceId;
  /** Milliseconds that a client waits for the human before it is asked to come again. */
  readonly waitMs: number;
  /** Where people decide an approval. */
  readonly pageUrl: (approvalId: string) => string;
}

/** A call that goes on, or one that is over. */
export type Round =
  | { readonly kind: 'interim'; readonly result: JsonText }
  /** Without its result where it had ended before. */
  | { readonly kind: 'ended'; readonly ended: CallEnding };

/** The call is to become a task, unless it ends or asks before. */
export interface TaskWish {
  readonly afterMs: number;
  /** The answer to its client, of a CallView as JSON text. */
  written(viewJson: string): JsonText;
}

type Wishing = Asked & { readonly task?: TaskWish };

/** A call over several requests: each goes out with what the next one has to bring (MCP 2026-07-28, "Multi round-trip requests"). */
export class AskedAgain {
  constructor(private readonly parts: AgainParts) {}

  /** The interim answer of a call that waits for a human; `holder` is the gateway that has it. */
  page(call: SameCall, approval: ApprovalView, holder = this.parts.gateway): JsonText {
    const { pageUrl } = this.parts;
    const { approval_id, call_id, tool, expires_at } = approval;
    const state = { call: call_id, approval: approval_id, gateway: holder, until: Date.parse(expires_at) };
    return inputRequired({
      inputRequests: { [approval_id]: pageRequest(pageUrl(approval_id), tool) },
      requestState: this.parts.states.write(state, call),
      _meta: { [callMetaKey]: waitingFacts(call_id, approval) },
    });
  }

  /** The interim answer of a call whose upstream asks its client. */
  inputs(call: SameCall, { callId, asks, shown, until }: AskedCall, holder = this.parts.gateway): JsonText {
    const state = { call: callId, shown, gateway: holder, until };
    return inputRequired({
      inputRequests: inputRequestsOf(asks),
      requestState: this.parts.states.write(state, call),
      _meta: { [callMetaKey]: { call_id: callId, outcome: 'pending', effect: null } },
    });
  }

  /** The same call with what it was given before: nothing new is proposed. Rejects where the state is none of this call. */
  async answer(call: SameCall, { state: text, responses }: Brought, asked: Wishing): Promise<Round> {
    const { states, parked, news, waitMs } = this.parts;
    const state = text === undefined ? undefined : states.read(text, call);
    if (state === undefined) throw foreign();
    const { caller } = call;
    const token = progressTokenOf(asked.params);
    const ask = {
      ...{ caller, callId: state.call, waitMs, declared: asked.declared },
      ...(asked.task !== undefined && { taskAfterMs: asked.task.afterMs }),
      ...(state.approval !== undefined && { approvalId: state.approval }),
      ...(state.shown !== undefined && { answers: { shown: state.shown, byKey: responses } }),
      onCancel: (listener: () => void): void => asked.onCancel(listener),
      ...(token !== undefined && {
        onProgress: (params: string): void => asked.notify(progressUnder(token, params)),
      }),
    };
    const stop = listenFor(asked, { news, caller, callId: state.call });
    try {
      const resumed = await parked.resume(ask, state.gateway);
      return this.round(resumed, { call, asked, holder: state.gateway });
    } finally {
      stop();
    }
  }

  private round(
    resumed: Resumed | { readonly kind: 'unavailable' },
    {
      call,
      asked,
      holder,
    }: { readonly call: SameCall; readonly asked: Wishing; readonly holder: InstanceId },
  ): Round {
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
        const result = asked.opensPages
          ? this.page(call, approval, holder)
          : complete(waitingResult(approval.call_id, approval));
        return { kind: 'interim', result };
      }
      case 'asked':
        return { kind: 'interim', result: this.inputs(call, resumed.asked, holder) };
      case 'left':
        // Nobody is told of a task who did not wish for one.
        if (asked.task === undefined) throw foreign();
        return { kind: 'interim', result: asked.task.written(resumed.viewJson) };
      case 'ended':
        return resumed;
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
