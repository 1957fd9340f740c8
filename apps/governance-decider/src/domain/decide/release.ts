import type { CallQuestion } from '@uar/contracts';
import type { CedarQuestion, Uid } from '../cedar/cedar.js';
import { userUid } from '../cedar/entity-ids.js';
import { judge, type Verdict } from '../cedar/judge.js';
import type { PolicySet } from '../policy/policy-set.js';
import { actionQuestions } from '../question/action-questions.js';
import { rolesOf, toolQuestions, type ToolQuestions } from '../question/tool-questions.js';
import { refusalOfPrincipal, refusalOfTool } from './before-cedar.js';
import type { CedarParts } from './cedar-judge.js';
import { askInParts } from './memory/asked-in-parts.js';
import { all, deny, union, type CallVerdict, type Vote, type Votes } from './verdict.js';

type Parts = Omit<CedarParts, 'remembered'>;
type ReadyQuestions = Extract<ToolQuestions, { kind: 'ready' }>;

/** May the call ever run, now; and do these votes release it (GOVERNANCE.md 1)? Nothing of it is remembered. */
export async function judgeRelease(
  parts: Parts,
  release: { readonly question: CallQuestion; readonly votes: Votes; readonly set: PolicySet },
): Promise<CallVerdict> {
  const { question, votes, set } = release;
  const now = parts.now();
  const refused = refusalOfPrincipal(question, now) ?? refusalOfTool(question);
  if (refused !== undefined) return refused;
  const ready = toolQuestions(
    {
      ...question,
      argumentText: question.arguments_json,
      reader: parts.reader,
      profile: parts.profile,
      now,
    },
    set,
    parts.directory,
  );
  if (ready.kind === 'refused') return deny('policy_denied', ready.cause);
  const { may, released } = await weigh(parts, { question, votes, set, ready, now });
  if (may.kind === 'no') return deny('policy_denied', may.code, may.determining);
  if (released.kind === 'yes')
    return { kind: 'allow', determining: union([may.determining, released.determining]) };
  return notReleased(released, set);
}

interface Weighing {
  readonly question: CallQuestion;
  readonly votes: Votes;
  readonly set: PolicySet;
  readonly ready: ReadyQuestions;
  readonly now: number;
}

/**
 * One batch: the call itself, for each distinct approver whether that person may approve at this moment, and whether all of
 * them release it. Where some may not, it is asked once more whether the others do.
 */
async function weigh(parts: Parts, weighing: Weighing): Promise<{ may: Verdict; released: Verdict }> {
  const { set, ready } = weighing;
  const distinct = [...new Map(weighing.votes.votes.map((vote) => [uidOf(vote).id, vote])).values()];
  const asked = distinct
    .map((vote) => ({ vote, questions: approveQuestions(parts, weighing, vote) }))
    .filter(({ questions }) => questions.length > 0);
  const call = ready.questions('callTool');
  const byAll = releaseQuestions(
    weighing,
    asked.map(({ vote }) => vote),
  );
  const batch = [...call, ...asked.flatMap(({ questions }) => questions), ...byAll];
  const answers = await verdicts(parts, set, batch);
  let at = call.length;
  const may = all(answers.slice(0, at));
  const valid = asked.filter(({ questions }) => {
    const own = answers.slice(at, at + questions.length);
    at += questions.length;
    return all(own).kind === 'yes';
  });
  if (valid.length === asked.length) return { may, released: all(answers.slice(at)) };
  const byValid = releaseQuestions(
    weighing,
    valid.map(({ vote }) => vote),
  );
  return { may, released: all(await verdicts(parts, set, byValid)) };
}

function releaseQuestions(
  { ready, votes, now }: Weighing,
  approvers: readonly Vote[],
): readonly CedarQuestion[] {
  return ready.questions('callToolApproved', {
    approvers: approvers.map(uidOf),
    roles: approvers.flatMap((vote) => rolesOf(vote.principal)),
    ageMs: now - votes.requestedAt,
  });
}

function approveQuestions(parts: Parts, weighing: Weighing, vote: Vote): readonly CedarQuestion[] {
  const { question, votes, ready, now } = weighing;
  const { run_id, session_id } = question.caller;
  // The requester's address says nothing about an approver.
  const caller = { principal: vote.principal, channel: vote.channel, run_id, session_id };
  const asked = actionQuestions(
    { caller, profile: parts.profile, now },
    {
      action: 'approve',
      target: {
        kind: 'approval',
        id: votes.approvalId,
        tenant: question.tool.tenant,
        tool: question.tool,
        parties: votes.parties ?? ready.subjects.parties,
        expiresAt: votes.expiresAt,
      },
    },
    parts.directory,
  );
  return asked.kind === 'ready' ? asked.questions : [];
}

async function verdicts(
  parts: Parts,
  set: PolicySet,
  questions: readonly CedarQuestion[],
): Promise<readonly Verdict[]> {
  const answers = await askInParts(parts.engine, set, questions);
  return questions.map((_, index) => judge(answers[index], set));
}

function notReleased(refusal: Extract<Verdict, { kind: 'no' }>, set: PolicySet): CallVerdict {
  const { code, determining } = refusal;
  if (code !== 'not_permitted' && code !== 'forbidden') return deny('policy_denied', code, determining);
  const reasons = determining.map((id) => set.reasonOf(id));
  return {
    kind: 'require_approval',
    determining,
    reasons: reasons.length > 0 ? reasons : ['more valid approvals are needed'],
  };
}

function uidOf(vote: Vote): Uid {
  return userUid(vote.principal.tenant, vote.principal.subject);
}
