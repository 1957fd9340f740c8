import type { AnswerOf, AskOf, leaveCall, resumeCall } from '@uar/contracts';
import type { CallEnding } from '../call/proposed-call.js';
import { declaredIn } from '../client/declared.js';
import { writtenAsks } from '../client/parked-asks.js';
import { OpenAsks } from '../open-asks.js';
import type { AskedCall, ParkedCalls, Resumed, ResumeAsk } from './parked-calls.js';

/** Calls of this gateway whose callers came back to another one. */
export class ResumeDesk {
  private readonly open = new OpenAsks();

  constructor(private readonly parked: ParkedCalls) {}

  async resume(ask: AskOf<typeof resumeCall>): Promise<AnswerOf<typeof resumeCall>> {
    const { ask_id } = ask;
    let close = (): void => undefined;
    const resumed = await this.parked.resume({
      ...readAsk(ask),
      onCancel: (listener) => {
        close = this.open.add(ask_id, listener);
      },
    });
    close();
    return answerOf(resumed);
  }

  leave({ ask_id }: AskOf<typeof leaveCall>): AnswerOf<typeof leaveCall> {
    return this.open.leave(ask_id);
  }
}

function readAsk(ask: AskOf<typeof resumeCall>): Omit<ResumeAsk, 'onCancel'> {
  const { caller, call_id: callId, approval_id: approvalId, wait_ms: waitMs, answers } = ask;
  return {
    ...{ caller, callId, waitMs, declared: declaredIn(JSON.parse(ask.capabilities_json)) },
    ...(approvalId !== undefined && { approvalId }),
    ...(ask.task_after_ms !== undefined && { taskAfterMs: ask.task_after_ms }),
    ...(answers !== undefined && {
      answers: { shown: answers.shown, byKey: new Map(Object.entries(answers.by_key)) },
    }),
  };
}

function answerOf(resumed: Resumed): AnswerOf<typeof resumeCall> {
  switch (resumed.kind) {
    case 'pending':
    case 'unknown':
      return resumed;
    case 'asked':
      return { kind: 'asked', ...writtenAsked(resumed.asked) };
    case 'left':
      return { kind: 'left', view_json: resumed.viewJson };
    case 'ended':
      return { kind: 'ended', ended: written(resumed.ended) };
  }
}

function writtenAsked({ callId, asks, shown, until }: AskedCall) {
  return { call_id: callId, inputs: writtenAsks(asks), shown, until };
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
  lacking,
}: NonNullable<CallEnding['upstreamError']>): NonNullable<WrittenEnd['upstream_error']> {
  return {
    code,
    message,
    ...(dataJson !== undefined && { data_json: dataJson }),
    ...(lacking !== undefined && { lacking: [...lacking] }),
  };
}

/** Injection token of the ResumeDesk. */
export const RESUME_DESK = Symbol('uar.gateway.resume-desk');
