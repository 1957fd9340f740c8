import {
  RunId,
  TenantId,
  principalId,
  type ApprovalDraft,
  type ApprovalStatus,
  type ApprovalView,
  type AnswerOf,
  type CallDecision,
  type Caller,
  type decideItem,
} from '@uar/contracts';
import type { Clock, DecisionAsk } from '../call/ports.js';

export const tenant = TenantId.parse('default');
export const runId = RunId.parse(`run_${'0'.repeat(32)}`);
export const hex = (n: number) => n.toString(16).padStart(32, '0');

/** Time that moves when a spec says so. */
export class HandClock implements Clock {
  private at = 1_000_000;
  private jumpedMs = 0;
  private timers: { at: number; action: () => void }[] = [];

  now(): number {
    return this.at + this.jumpedMs;
  }

  /** The wall clock is set anew; timers do not notice. */
  jump(ms: number): void {
    this.jumpedMs += ms;
  }

  after(ms: number, action: () => void): () => void {
    const timer = { at: this.at + ms, action };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((it) => it !== timer);
    };
  }

  async advance(ms: number): Promise<void> {
    const endAt = this.at + ms;
    for (;;) {
      const next = this.timers.filter((it) => it.at <= endAt).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.at = next.at;
      this.timers = this.timers.filter((it) => it !== next);
      next.action();
      await settle();
    }
    this.at = endAt;
    await settle();
  }
}

/** Lets everything happen that needs no time. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

export const caller: Caller = {
  principal: {
    issuer: 'test',
    subject: 'ada',
    tenant,
    kind: 'user',
    roles: [],
    groups: [],
    scopes: [],
    mfa: false,
    claims: {},
    expires_at: 100_000_000,
  },
  channel: 'interactive',
  run_id: runId,
  session_id: 's',
};

const facts = { policy_version: 'v1', determining: [], governance: 'on' as const };
export const allowed: CallDecision = { kind: 'allow', ...facts, grant: 'grant', ticket: 'ticket' };
export const itemAllowed: AnswerOf<typeof decideItem> = { kind: 'allow', ...facts, grant: 'item grant' };
export const asksHuman: CallDecision = { kind: 'require_approval', ...facts, quorum: 1, reasons: ['why'] };
export const denied = (outcome: 'policy_denied' | 'unknown_tool' | 'quarantined'): CallDecision => ({
  kind: 'deny',
  ...facts,
  outcome,
  cause: 'because',
});

export const needsHuman = ({ approval }: DecisionAsk): CallDecision =>
  approval === undefined ? asksHuman : allowed;

export function viewOf(draft: ApprovalDraft, status: ApprovalStatus): ApprovalView {
  return {
    approval_id: draft.approval_id,
    call_id: draft.call_id,
    run_id: draft.run_id,
    tool: draft.tool_name,
    server: draft.tool.server,
    requester: principalId(draft.requester),
    arguments_preview: draft.arguments_preview,
    arguments_digest: draft.arguments_digest,
    definition_digest: draft.tool.definition_digest,
    risk: { level: 'high', reasons: draft.reasons },
    rule: { quorum: draft.quorum, approvers: 'someone' },
    votes: [],
    status,
    created_at: new Date(0).toISOString(),
    expires_at: new Date(draft.expires_at).toISOString(),
  };
}
