import type {
  ActionQuestion,
  ApprovalFacts,
  CallDecision,
  CallQuestion,
  Caller,
  Channel,
  ItemQuestion,
  ToolFacts,
} from '@uar/contracts';
import type { Uid } from '../cedar/cedar.js';
import type { RefusalCode, Verdict } from '../cedar/judge.js';
import type { Party, barredBy } from './barred.js';

type DeniedOutcome = Extract<CallDecision, { kind: 'deny' }>['outcome'];

export type DenialCause =
  | RefusalCode
  | 'principal_expired'
  | 'digest_mismatch'
  | 'definition_unreviewed'
  | 'capability_missing'
  | 'run_capability_missing'
  | 'run_asks_nobody'
  | 'above_agent_risk'
  | 'policies_unavailable'
  | 'agent_unknown'
  | 'args_rejected'
  | 'other_tenant'
  | 'tool_disabled'
  | 'kill_switch'
  | 'suspended';

/** What the PDP thinks of a call, before anything is signed. */
export type CallVerdict =
  | { readonly kind: 'allow'; readonly determining: readonly string[] }
  | {
      readonly kind: 'require_approval';
      readonly determining: readonly string[];
      readonly reasons: readonly string[];
    }
  | {
      readonly kind: 'deny';
      readonly outcome: DeniedOutcome;
      readonly cause: DenialCause;
      readonly determining: readonly string[];
    };

/** A verdict and the version of what it rests on. */
export interface Judged {
  readonly version: string;
  readonly verdict: CallVerdict;
  /** Names the exact facts the verdict rests on; absent where they were not looked at. */
  readonly key?: string;
}

export interface Vote {
  readonly principal: ApprovalFacts['approvers'][number];
  /** How the vote itself reached us. */
  readonly channel: Channel;
}

/** The state of an approval request when its votes are weighed. */
export interface Votes {
  readonly approvalId: string;
  readonly votes: readonly Vote[];
  readonly requestedAt: number;
  readonly expiresAt: number;
  /** Users besides those the question itself shows to be parties. */
  readonly parties?: readonly Uid[];
}

export type ToolSight =
  { readonly kind: 'hidden' } | { readonly kind: 'visible'; readonly approval: 'never' | 'maybe' | 'always' };

export type ActionVerdict =
  | { readonly kind: 'allow' }
  | { readonly kind: 'deny'; readonly cause: DenialCause; readonly determining: readonly string[] };

export type ItemVerdict =
  | { readonly kind: 'allow'; readonly determining: readonly string[] }
  | { readonly kind: 'deny'; readonly cause: DenialCause; readonly determining: readonly string[] };

/** May a resource be read, or a prompt be got? No human is ever asked. */
export interface JudgedItem {
  readonly version: string;
  readonly verdict: ItemVerdict;
}

/** Whoever decides: Cedar, or the little that remains where an operator switched it off. */
export interface Judge {
  readonly governance: 'on' | 'off';
  /** Version of what decides for a tenant now. */
  versionFor(tenant: string): string;
  /** What keeps a party from being granted anything now, whatever was allowed before. */
  barred(party: Party): ReturnType<typeof barredBy>;
  judgeCall(question: CallQuestion): Promise<Judged>;
  judgeRelease(question: CallQuestion, votes: Votes): Promise<Judged>;
  sights(caller: Caller, tools: readonly ToolFacts[]): Promise<readonly ToolSight[]>;
  judgeItem(question: ItemQuestion): Promise<JudgedItem>;
  judgeActions(caller: Caller, questions: readonly ActionQuestion[]): Promise<readonly ActionVerdict[]>;
}

export function deny(
  outcome: DeniedOutcome,
  cause: DenialCause,
  determining: readonly string[] = [],
): Extract<CallVerdict, { kind: 'deny' }> {
  return { kind: 'deny', outcome, cause, determining };
}

/** Yes of all subjects, or the first refusal that says why. */
export function all(verdicts: readonly Verdict[]): Verdict {
  const refused = verdicts.filter((verdict) => verdict.kind === 'no');
  const refusal = refused.find((verdict) => verdict.code !== 'not_asked') ?? refused[0];
  if (refusal !== undefined) return refusal;
  if (verdicts.length === 0) return { kind: 'no', code: 'engine_failed', determining: [] };
  return { kind: 'yes', determining: union(verdicts.map((verdict) => verdict.determining)) };
}

export function union(lists: readonly (readonly string[])[]): readonly string[] {
  return [...new Set(lists.flat())].toSorted();
}
