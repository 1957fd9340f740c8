import { randomUUID } from 'node:crypto';
import type { Bus } from '@uar/bus';
import { type AnswerOf, leaveCall, resumeCall, type InstanceId } from '@uar/contracts';
import type { ParkedCalls, Resumed, ResumeAsk } from '../../../domain/approval/parked-calls.js';
import type { CallEnding, UpstreamError } from '../../../domain/call/proposed-call.js';
import type { Hosts } from '../../../domain/call/ports.js';
import { watchGateway } from './watched-gateway.js';

interface AnywhereParts {
  readonly bus: Bus;
  readonly here: ParkedCalls;
  readonly hosts: Pick<Hosts, 'onProgress'>;
}

/** Parked calls of whichever gateway holds them. */
export class ParkedAnywhere {
  constructor(private readonly parts: AnywhereParts) {}

  resume(ask: ResumeAsk, gateway: InstanceId): Promise<Resumed | { readonly kind: 'unavailable' }> {
    const { bus, here } = this.parts;
    return gateway === bus.instance ? here.resume(ask) : this.elsewhere(ask, gateway);
  }

  private async elsewhere(
    { caller, callId, approvalId, waitMs, onProgress, onCancel }: ResumeAsk,
    gateway: InstanceId,
  ): Promise<Resumed | { readonly kind: 'unavailable' }> {
    const { bus, hosts } = this.parts;
    const ask_id = randomUUID();
    const gone = new AbortController();
    const stopWatching = watchGateway(bus, gateway, () => gone.abort());
    onCancel(() => void bus.ask(leaveCall, { ask_id }, { to: gateway }));
    const stop = onProgress === undefined ? () => undefined : hosts.onProgress(callId, onProgress);
    const ask = { ask_id, caller, call_id: callId, approval_id: approvalId, wait_ms: waitMs };
    const reply = await bus.ask(resumeCall, ask, { to: gateway, signal: gone.signal });
    stop();
    stopWatching();
    if (reply.kind === 'fault') return { kind: reply.fault === 'no_responders' ? 'unknown' : 'unavailable' };
    const { value } = reply;
    return value.kind === 'ended' ? { kind: 'ended', ended: read(value.ended) } : value;
  }
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

function readError({ code, message, data_json }: NonNullable<WrittenEnd['upstream_error']>): UpstreamError {
  return { code, message, ...(data_json !== undefined && { dataJson: data_json }) };
}
