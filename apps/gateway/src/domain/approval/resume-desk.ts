import type { AnswerOf, AskOf, leaveCall, resumeCall } from '@uar/contracts';
import type { CallEnding } from '../call/proposed-call.js';
import { OpenAsks } from '../open-asks.js';
import type { ParkedCalls } from './parked-calls.js';

/** Calls of this gateway whose callers came back to another one. */
export class ResumeDesk {
  private readonly open = new OpenAsks();

  constructor(private readonly parked: ParkedCalls) {}

  async resume(ask: AskOf<typeof resumeCall>): Promise<AnswerOf<typeof resumeCall>> {
    const { ask_id, caller, call_id: callId, approval_id: approvalId, wait_ms: waitMs } = ask;
    let close = (): void => undefined;
    const resumed = await this.parked.resume({
      ...{ caller, callId, approvalId, waitMs },
      onCancel: (listener) => {
        close = this.open.add(ask_id, listener);
      },
    });
    close();
    return resumed.kind === 'ended' ? { kind: 'ended', ended: written(resumed.ended) } : resumed;
  }

  leave({ ask_id }: AskOf<typeof leaveCall>): AnswerOf<typeof leaveCall> {
    return this.open.leave(ask_id);
  }
}

type WrittenEnd = Extract<AnswerOf<typeof resumeCall>, { kind: 'ended' }>['ended'];

function written(ended: CallEnding): WrittenEnd {
  const { upstreamError, resultJson, retryAfterMs, faultId, details } = ended;
  return {
    call_id: ended.callId,
    outcome: ended.outcome,
    message: ended.message,
    intent: ended.intent,
    ...(details !== undefined && { details }),
    ...(resultJson !== undefined && { result_json: resultJson }),
    ...(upstreamError !== undefined && { upstream_error: writtenError(upstreamError) }),
    ...(retryAfterMs !== undefined && { retry_after_ms: retryAfterMs }),
    ...(faultId !== undefined && { fault_id: faultId }),
  };
}

function writtenError({
  code,
  message,
  dataJson,
}: NonNullable<CallEnding['upstreamError']>): NonNullable<WrittenEnd['upstream_error']> {
  return { code, message, ...(dataJson !== undefined && { data_json: dataJson }) };
}

/** Injection token of the ResumeDesk. */
export const RESUME_DESK = Symbol('uar.gateway.resume-desk');
