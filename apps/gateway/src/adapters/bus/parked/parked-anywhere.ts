import { randomUUID } from 'node:crypto';
import type { Bus } from '@uar/bus';
import { type AnswerOf, leaveCall, resumeCall, type InstanceId } from '@uar/contracts';
import type { AskedCall, ParkedCalls, Resumed, ResumeAsk } from '../../../domain/approval/parked-calls.js';
import type { CallEnding, UpstreamError } from '../../../domain/call/proposed-call.js';
import type { Clock, Hosts } from '../../../domain/call/ports.js';
import { readAsks } from '../../../domain/client/parked-asks.js';
import { watchGateway } from './watched-gateway.js';

interface AnywhereParts {
  readonly bus: Bus;
  readonly here: ParkedCalls;
  readonly hosts: Pick<Hosts, 'onProgress'>;
  readonly clock: Pick<Clock, 'after'>;
}

/** Parked calls of whichever gateway holds them. */
export class ParkedAnywhere {
  constructor(private readonly parts: AnywhereParts) {}

  resume(ask: ResumeAsk, gateway: InstanceId): Promise<Resumed | { readonly kind: 'unavailable' }> {
    const { bus, here } = this.parts;
    return gateway === bus.instance ? here.resume(ask) : this.elsewhere(ask, gateway);
  }

  private async elsewhere(
    resume: ResumeAsk,
    gateway: InstanceId,
  ): Promise<Resumed | { readonly kind: 'unavailable' }> {
    const { bus, clock, hosts } = this.parts;
    const { callId, onProgress, onCancel } = resume;
    const ask_id = randomUUID();
    const gone = new AbortController();
    const stopWatching = watchGateway({ bus, clock, gateway }, () => gone.abort());
    onCancel(() => void bus.ask(leaveCall, { ask_id }, { to: gateway }));
    const stop = onProgress === undefined ? () => undefined : hosts.onProgress(callId, onProgress);
    const reply = await bus.ask(
      resumeCall,
      { ask_id, ...writtenAsk(resume) },
      { to: gateway, signal: gone.signal },
    );
    stop();
    stopWatching();
    if (reply.kind === 'fault') return { kind: reply.fault === 'no_responders' ? 'unknown' : 'unavailable' };
    return resumedOf(reply.value);
  }
}

function writtenAsk({ caller, callId, approvalId, waitMs, taskAfterMs, answers, declared }: ResumeAsk) {
  return {
    ...{ caller, call_id: callId, wait_ms: waitMs, capabilities_json: JSON.stringify(declared) },
    ...(approvalId !== undefined && { approval_id: approvalId }),
    ...(taskAfterMs !== undefined && { task_after_ms: taskAfterMs }),
    ...(answers !== undefined && {
      answers: { shown: answers.shown, by_key: Object.fromEntries(answers.byKey) },
    }),
  };
}

function resumedOf(answer: AnswerOf<typeof resumeCall>): Resumed {
  switch (answer.kind) {
    case 'pending':
    case 'unknown':
      return answer;
    case 'asked':
      return { kind: 'asked', asked: readAsked(answer) };
    case 'left':
      return { kind: 'left', viewJson: answer.view_json };
    case 'ended':
      return { kind: 'ended', ended: read(answer.ended) };
  }
}

function readAsked({
  call_id: callId,
  inputs,
  shown,
  until,
}: Extract<AnswerOf<typeof resumeCall>, { kind: 'asked' }>): AskedCall {
  return { callId, asks: readAsks(inputs), shown, until };
}

type WrittenEnd = Extract<AnswerOf<typeof resumeCall>, { kind: 'ended' }>['ended'];

function read(ended: WrittenEnd): CallEnding {
  const { details, result_json, upstream_error, retry_after_ms, fault_id } = ended;
  return {
    callId: ended.call_id,
    outcome: ended.outcome,
    message: ended.message,
    intent: ended.intent,
    ...(details !== undefined && { details }),
    ...(result_json !== undefined && { resultJson: result_json }),
    ...(upstream_error !== undefined && { upstreamError: readError(upstream_error) }),
    ...(retry_after_ms !== undefined && { retryAfterMs: retry_after_ms }),
    ...(fault_id !== undefined && { faultId: fault_id }),
  };
}

function readError(error: NonNullable<WrittenEnd['upstream_error']>): UpstreamError {
  const { code, message, data_json, lacking } = error;
  return {
    code,
    message,
    ...(data_json !== undefined && { dataJson: data_json }),
    ...(lacking !== undefined && { lacking }),
  };
}
