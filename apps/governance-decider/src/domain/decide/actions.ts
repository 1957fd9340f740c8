import { agentOf, type ActionQuestion, type Caller, type Principal } from '@uar/contracts';
import type { CedarQuestion, Uid } from '../cedar/cedar.js';
import { userUid } from '../cedar/entity-ids.js';
import { judge, type Verdict } from '../cedar/judge.js';
import type { PolicySet } from '../policy/policy-set.js';
import { actionQuestions, type ActionQuestions, type Target } from '../question/action-questions.js';
import type { Directory } from '../question/directory.js';
import type { CedarParts } from './cedar-judge.js';
import { refusalOfItems } from './before-cedar.js';
import { askedOnce } from './memory/alike-items.js';
import { askInParts } from './memory/asked-in-parts.js';
import { all, type ActionVerdict, type DenialCause, type ItemVerdict } from './verdict.js';

type Parts = Omit<CedarParts, 'remembered'>;

const questionsPerBatch = 32;

/** May the caller do these? One verdict each, in order. */
export async function judgeActions(
  parts: Parts,
  caller: Caller,
  questions: readonly ActionQuestion[],
): Promise<readonly ActionVerdict[]> {
  const verdicts = await weighActions(parts, caller, questions);
  return verdicts.map((verdict) => (verdict.kind === 'allow' ? { kind: 'allow' } : verdict));
}

/** The same, with what determined each of them. */
export async function weighActions(
  parts: Parts,
  caller: Caller,
  questions: readonly ActionQuestion[],
): Promise<readonly ItemVerdict[]> {
  const set = parts.sets.of(caller.principal.tenant);
  if (set === undefined) return questions.map(() => denied('policies_unavailable'));
  const { asked, answers } = askedOnce(set, caller.principal.tenant, questions);
  const prepared = asked.map((question) => prepare(parts, caller, question));
  const verdicts: ItemVerdict[] = [];
  for (let at = 0; at < prepared.length; at += questionsPerBatch)
    verdicts.push(...(await judgeBatch(parts, set, prepared.slice(at, at + questionsPerBatch))));
  return answers.map((place) => verdicts[place] ?? denied('engine_failed'));
}

async function judgeBatch(
  parts: Parts,
  set: PolicySet,
  prepared: readonly Prepared[],
): Promise<readonly ItemVerdict[]> {
  const questions: CedarQuestion[] = prepared.flatMap((one) => (one.kind === 'ready' ? one.questions : []));
  const answers = questions.length === 0 ? [] : await askInParts(parts.engine, set, questions);
  let at = 0;
  return prepared.map((one) => {
    if (one.kind === 'refused') return denied(one.cause);
    const own = one.questions.map((_, index) => judge(answers[at + index], set));
    at += one.questions.length;
    return actionVerdict(all(own));
  });
}

type Prepared = ActionQuestions | { readonly kind: 'refused'; readonly cause: DenialCause };

function prepare(parts: Parts, caller: Caller, question: ActionQuestion): Prepared {
  const refused = question.kind === 'item' ? refusalOfItems(caller) : undefined;
  if (refused !== undefined) return { kind: 'refused', cause: refused };
  const about = aboutOf(caller.principal, question, parts.directory);
  return actionQuestions({ caller, profile: parts.profile, now: parts.now() }, about, parts.directory);
}

function aboutOf(
  principal: Principal,
  question: ActionQuestion,
  directory: Directory,
): { action: string; target: Target; authors?: readonly Uid[] } {
  const own: Target = { kind: 'tenant', tenant: principal.tenant };
  switch (question.kind) {
    case 'list_tools':
      return { action: 'listTools', target: own };
    case 'admin':
      return {
        action: question.action,
        target: own,
        authors: (question.authors ?? []).map((author) => userUid(author.tenant, author.subject)),
      };
    case 'item': {
      const action = question.item.kind === 'resource' ? 'readResource' : 'getPrompt';
      return { action, target: { ...question.item, tenant: principal.tenant } };
    }
    case 'approval': {
      const { approval_id: id, tenant, tool, parties, expires_at: expiresAt } = question.resource;
      const users = parties.flatMap((party) => partyUsers(party, directory));
      return {
        action: question.action,
        target: { kind: 'approval', id, tenant, tool, parties: users, expiresAt },
      };
    }
  }
}

/** The users behind a party: the person, and the owner of an agent. */
export function partyUsers(party: Principal, directory: Directory): readonly Uid[] {
  const agentId = agentOf(party);
  const owner = agentId === undefined ? undefined : directory.agent(party.tenant, agentId)?.owner;
  return [
    ...(party.kind === 'user' ? [userUid(party.tenant, party.subject)] : []),
    ...(owner === undefined ? [] : [userUid(party.tenant, owner)]),
  ];
}

function actionVerdict(verdict: Verdict): ItemVerdict {
  const { determining } = verdict;
  return verdict.kind === 'yes' ? { kind: 'allow', determining } : denied(verdict.code, determining);
}

function denied(cause: DenialCause, determining: readonly string[] = []): ItemVerdict {
  return { kind: 'deny', cause, determining };
}
