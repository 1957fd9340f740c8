import {
  ApprovalId,
  CallId,
  Digest,
  EpochMs,
  Principal,
  TenantId,
  principalId,
  type AnswerOf,
  type AskOf,
  type CallDecision,
  type CallQuestion,
  type GrantClaims,
  type GrantTarget,
  type ProfileName,
  type decideCall,
  type decideItem,
  type issueGrant,
} from '@uar/contracts';
import { argumentsDigest } from '@uar/json-text';
import { z } from 'zod';
import { quorumOf } from './quorum.js';
import { deny, type Judge, type Judged } from './verdict.js';

/** Signs grants for hosts, and seals tickets for nobody but ourselves. */
export interface Signatures {
  grant(claims: GrantClaims): string;
  ticket(body: unknown): string;
  /** The body of a ticket that this PDP, or a replica with the same key, sealed. */
  openTicket(text: string): unknown;
}

export interface DeskParts {
  readonly judge: Judge;
  readonly signatures: Signatures;
  readonly profile: ProfileName;
  readonly now: () => number;
  /** How long a human may take, from the request on. */
  readonly approvalTimeoutMs: number;
}

/** The call an allowed release was about, until its approval is consumed. */
const Ticket = z.strictObject({
  call_id: CallId,
  tenant: TenantId,
  principal: z.string(),
  party: Principal.pick({ tenant: true, kind: true, subject: true, agent_id: true }),
  server: z.string(),
  raw_name: z.string(),
  definition_digest: Digest,
  arguments_digest: Digest,
  policy_version: z.string(),
  approval_id: ApprovalId,
  expires_at: EpochMs,
});
type Ticket = z.output<typeof Ticket>;

type GrantBody = Omit<Ticket, 'approval_id' | 'party' | 'expires_at'>;

type ClaimsOfTarget = 'host' | 'instance' | 'issued_at' | 'expires_at';

const grantLifeMs = 60_000;
const ticketLifeMs = 10_000;

/** Decisions that leave the PDP: verdicts with the version they rest on, and what they entitle to. */
export class CallDesk {
  constructor(private readonly parts: DeskParts) {}

  async decide(ask: AskOf<typeof decideCall>): Promise<CallDecision> {
    const { question, target, approval } = ask;
    const { version, verdict } = await this.judged(ask);
    const decided = {
      policy_version: version,
      determining: [...verdict.determining],
      governance: this.parts.judge.governance,
    };
    switch (verdict.kind) {
      case 'deny':
        return { kind: 'deny', ...decided, outcome: verdict.outcome, cause: verdict.cause };
      case 'require_approval': {
        const { kind, reasons } = verdict;
        return {
          kind,
          ...decided,
          quorum: quorumOf(question.tool, this.parts.profile),
          reasons: [...reasons],
        };
      }
      case 'allow': {
        const body = grantBody(question, version);
        if (approval !== undefined)
          return { kind: 'allow', ...decided, ticket: this.ticket(ask, body, approval.approval_id) };
        const grant = target === undefined ? {} : { grant: this.grant(body, target) };
        return { kind: 'allow', ...decided, ...grant };
      }
    }
  }

  async decideItem(ask: AskOf<typeof decideItem>): Promise<AnswerOf<typeof decideItem>> {
    const { question, target } = ask;
    const { version, verdict } = await this.parts.judge.judgeItem(question);
    const decided = {
      policy_version: version,
      determining: [...verdict.determining],
      governance: this.parts.judge.governance,
    };
    if (verdict.kind === 'deny') return { kind: 'deny', ...decided, cause: verdict.cause };
    const grant = this.sign(
      {
        call_id: question.call_id,
        tenant: question.caller.principal.tenant,
        principal: principalId(question.caller.principal),
        method: question.method,
        server: question.item.server,
        raw_name: question.item.id,
        arguments_digest: question.params_digest,
        policy_version: version,
      },
      target,
    );
    return { kind: 'allow', ...decided, grant };
  }

  issue(ask: AskOf<typeof issueGrant>): AnswerOf<typeof issueGrant> {
    const parsed = Ticket.safeParse(this.parts.signatures.openTicket(ask.ticket));
    if (!parsed.success) return { kind: 'refused', cause: 'bad_ticket' };
    const { approval_id, party, expires_at: expiresAt, ...body } = parsed.data;
    if (expiresAt <= this.parts.now()) return { kind: 'refused', cause: 'ticket_expired' };
    if (this.parts.judge.versionFor(body.tenant) !== body.policy_version)
      return { kind: 'refused', cause: 'policy_changed' };
    const barred = this.parts.judge.barred(party);
    if (barred !== undefined) return { kind: 'refused', cause: barred };
    return { kind: 'granted', grant: this.grant({ ...body, approval_id }, ask.target) };
  }

  private judged(ask: AskOf<typeof decideCall>): Promise<Judged> {
    const { question, approval } = ask;
    const { judge } = this.parts;
    if (argumentsDigest(question.arguments_json) !== question.arguments_digest) {
      const version = judge.versionFor(question.caller.principal.tenant);
      return Promise.resolve({ version, verdict: deny('policy_denied', 'digest_mismatch') });
    }
    if (approval === undefined) return judge.judgeCall(question);
    return judge.judgeRelease(question, {
      approvalId: approval.approval_id,
      // A vote was recorded only if `approve` was allowed on the channel it came by; asked again here is who may approve.
      votes: approval.approvers.map((principal) => ({ principal, channel: 'interactive' as const })),
      requestedAt: approval.requested_at,
      expiresAt: approval.requested_at + this.parts.approvalTimeoutMs,
    });
  }

  private grant(body: GrantBody & { approval_id?: string }, target: GrantTarget): string {
    return this.sign({ ...body, method: 'tools/call' }, target);
  }

  private sign(body: Omit<GrantClaims, ClaimsOfTarget>, target: GrantTarget): string {
    const now = this.parts.now();
    return this.parts.signatures.grant({
      ...body,
      host: target.host,
      instance: target.instance,
      issued_at: now,
      expires_at: Math.min(target.expires_at, now + grantLifeMs),
    });
  }

  private ticket({ question }: AskOf<typeof decideCall>, body: GrantBody, approvalId: string): string {
    const { tenant, kind, subject, agent_id } = question.caller.principal;
    const party = { tenant, kind, subject, ...(agent_id === undefined ? {} : { agent_id }) };
    const expires_at = this.parts.now() + ticketLifeMs;
    const ticket: Ticket = { ...body, party, approval_id: approvalId, expires_at };
    return this.parts.signatures.ticket(ticket);
  }
}

function grantBody(question: CallQuestion, version: string): GrantBody {
  const { call_id, caller, tool, arguments_digest } = question;
  return {
    call_id,
    tenant: tool.tenant,
    principal: principalId(caller.principal),
    server: tool.server,
    raw_name: tool.raw_name,
    definition_digest: tool.definition_digest,
    arguments_digest,
    policy_version: version,
  };
}
