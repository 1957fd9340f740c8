import {
  agentOf,
  effectOf,
  outcomes,
  principalId,
  type ApprovalStatus,
  type ApprovalView,
  type EventPayload,
  type EventRun,
  type EventType,
  type NotedEvent,
} from '@uar/contracts';
import { argumentsDigest, memberText, textDigest } from '@uar/json-text';
import type { DecisionFacts, EndedCall } from '../call/proposed-call.js';
import type { RunningCall } from '../call/running-call.js';
import type { EventSink } from './ports.js';

/** Longest arguments, result or message that an event carries, in bytes. */
const mostPayloadBytes = 64 * 1024;
const mostNameLength = 256;
const mostNumberLength = 32;
/** Of one call: more progress than this is left out. */
const progressEveryMs = 100;

/** What happens to one call, told as events of its run. A call that joins another one is never told of (DESIGN.md 9). */
export class CallTrail {
  private isProposed = false;
  private told: DecisionFacts | null = null;
  private nextProgressAt = 0;

  constructor(
    private readonly call: RunningCall,
    private readonly sink: EventSink,
    private readonly now: () => number,
  ) {}

  /** Again where another decision took the place of the one that was told. Why it fell so is in no event. */
  decided(): void {
    const { decision } = this.call;
    if (decision === null) return;
    const { kind, policyVersion } = decision;
    if (this.told?.kind === kind && this.told.policyVersion === policyVersion) return;
    this.propose();
    this.told = decision;
    this.note('call.decided', { kind, policy_version: policyVersion });
  }

  approvalRequired({ approval_id, rule, expires_at }: ApprovalView): void {
    const tool = this.toolName;
    this.note('call.approval_required', { approval_id, tool, quorum: rule.quorum, expires_at });
  }

  approvalSettled(approvalId: string, status: ApprovalStatus): void {
    this.note('call.approval_settled', { approval_id: approvalId, status });
  }

  dispatched(): void {
    this.note('call.dispatched', { host: this.call.target?.host ?? 'mcp' });
  }

  /** `paramsJson`: of the upstream's notification. */
  progress(paramsJson: string): void {
    const now = this.now();
    if (now < this.nextProgressAt) return;
    this.nextProgressAt = now + progressEveryMs;
    const members = (['progress', 'total'] as const).flatMap((name) => {
      const text = memberText(paramsJson, name);
      return text !== undefined && isShortNumber(text) ? [`"${name}":${text}`] : [];
    });
    const json = memberText(paramsJson, 'message');
    const message = json === undefined ? undefined : payloadOf('message', json);
    this.noteText('call.progress', `{${members.join(',')}}`, { payload: message });
  }

  ended(ended: EndedCall): void {
    const { outcome, resultJson, durationMs } = ended;
    const isLimit = outcome === 'rate_limited' || outcome === 'overloaded';
    // Refused before anybody looked at it: one event is enough.
    if (!isLimit || this.call.entry !== undefined) this.propose();
    if (outcome !== 'unknown_tool') this.decided();
    const payload = resultJson === undefined ? undefined : payloadOf('result', resultJson);
    const data = {
      tool: this.toolName,
      outcome,
      effect: effectOf(outcome),
      success: outcome === 'completed',
      duration_ms: durationMs,
      ...(resultJson === undefined ? {} : this.sizesOf(resultJson, payload)),
      error: resultJson === undefined ? { code: outcome, message: outcomes[outcome].text } : null,
    };
    this.noteText('call.ended', JSON.stringify(data), { payload });
  }

  private sizesOf(resultJson: string, payload: EventPayload | undefined): object {
    return {
      result_digest: this.call.resultDigest ?? textDigest(resultJson),
      result_bytes: Buffer.byteLength(resultJson),
      ...(payload === undefined ? { result_truncated: true } : {}),
    };
  }

  /** Told with the first thing that happens to the call: by then it is known whether it is one of its own, and in which run. */
  private propose(): void {
    if (this.isProposed) return;
    this.isProposed = true;
    const { proposed, argumentsDigest: digest, startedAt } = this.call;
    const { argumentsJson } = proposed;
    const payload = payloadOf('arguments', argumentsJson);
    const data = {
      tool: this.toolName,
      arguments_digest: digest ?? argumentsDigest(argumentsJson),
      arguments_bytes: Buffer.byteLength(argumentsJson),
      ...(payload === undefined ? { arguments_truncated: true } : {}),
    };
    this.noteText('call.proposed', JSON.stringify(data), { payload, at: startedAt });
  }

  private get toolName(): string {
    return this.call.proposed.toolName.slice(0, mostNameLength);
  }

  private note(type: EventType, data: object): void {
    this.noteText(type, JSON.stringify(data), {});
  }

  private noteText(
    type: EventType,
    data_json: string,
    { payload, at }: { readonly payload?: EventPayload | undefined; readonly at?: number },
  ): void {
    const event: NotedEvent = { type, at: at ?? this.now(), call_id: this.call.callId, data_json };
    if (payload !== undefined) event.payload = payload;
    this.sink.note({ tenant: this.call.caller.principal.tenant, run: runOf(this.call) }, event);
  }
}

/** Of a JSON value: anything else might be what an upstream knows of its customers, and tenant-wide streams show it (CASES O3). */
function isShortNumber(text: string): boolean {
  return text.length <= mostNumberLength && /^[-\d]/.test(text);
}

function payloadOf(member: EventPayload['member'], json: string): EventPayload | undefined {
  if (json.length > mostPayloadBytes || Buffer.byteLength(json) > mostPayloadBytes) return undefined;
  return { member, json };
}

function runOf({ caller: { run_id, principal } }: RunningCall): EventRun {
  const agentId = agentOf(principal);
  return {
    run_id,
    owner: {
      principal: principalId(principal),
      issuer: principal.issuer,
      ...(agentId === undefined ? {} : { agent_id: agentId }),
    },
  };
}
