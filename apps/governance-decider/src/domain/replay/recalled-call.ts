import type { CallQuestion, RecordedDecision, RecordedFacts } from '@uar/contracts';
import { argumentsDigest } from '@uar/json-text';
import type { Engine } from '../cedar/cedar.js';
import { CedarJudge, type CedarParts } from '../decide/cedar-judge.js';
import type { CallVerdict } from '../decide/verdict.js';
import type { PolicySet } from '../policy/policy-set.js';
import { subjectsOf } from '../question/subjects.js';
import { isDecided } from '../record/decision-note.js';
import { RecalledDirectory } from '../record/directory-facts.js';
import { valueReadsBy } from '../record/pointer-reads.js';
import { lacking, readerOf, recordedText } from '../record/recorded-arguments.js';

export interface Recalled {
  readonly decision: RecordedDecision;
  readonly facts: RecordedFacts;
}

export type Redecided =
  | { readonly kind: 'decided'; readonly verdict: CallVerdict }
  | {
      readonly kind: 'undecided';
      readonly why: 'argument_not_recorded' | 'arguments_left_out' | 'not_decided_then' | 'no_answer';
      readonly reads: readonly string[];
    };

const noDigest = argumentsDigest(recordedText);

/** A recorded decision made again by the code that makes live ones, on the facts of then and the policies of `bench`. */
export async function decideAgain(
  recalled: Recalled,
  bench: { readonly set: PolicySet; readonly engine: Engine },
): Promise<Redecided> {
  const { decision, facts } = recalled;
  if (!isDecided(decision.verdict)) return undecided('not_decided_then');
  if (facts.arguments.kind === 'left_out') return undecided('arguments_left_out');
  const question = questionOf(recalled);
  const directory = RecalledDirectory.from(facts.directory);
  const reads = readsOf(question, directory, bench.set);
  const missing = lacking(facts.arguments, facts.tool, reads);
  if (missing.length > 0) return undecided('argument_not_recorded', missing);
  const judge = new CedarJudge({
    sets: { of: () => bench.set },
    engine: bench.engine,
    directory,
    profile: facts.profile,
    now: () => decision.at,
    reader: readerOf(facts.arguments),
    remembered: 0,
  });
  const { verdict } = await judgeOn(judge, question, facts);
  return isDecided(verdict) ? { kind: 'decided', verdict } : undecided('no_answer');
}

function judgeOn(judge: CedarJudge, question: CallQuestion, { approval }: RecordedFacts) {
  if (approval === undefined) return judge.judgeCall(question);
  const { approval_id: approvalId, votes, requested_at: requestedAt, expires_at: expiresAt } = approval;
  return judge.judgeRelease(question, { approvalId, votes, requestedAt, expiresAt });
}

function readsOf(question: CallQuestion, directory: CedarParts['directory'], set: PolicySet) {
  const subjects = subjectsOf(question.caller.principal, directory);
  const known = subjects.kind === 'known' ? subjects.subjects : [];
  return valueReadsBy(set, question.tool, known);
}

/** Whether the token had expired is known from the verdict: a record does not keep the time. */
function questionOf({ decision, facts }: Recalled): CallQuestion {
  const { verdict, call_id, run_id, session_id, at } = decision;
  const hadExpired = verdict.kind === 'deny' && verdict.cause === 'principal_expired';
  const principal = { ...facts.caller.principal, expires_at: hadExpired ? 0 : at };
  return {
    call_id,
    caller: { ...facts.caller, principal, run_id, session_id },
    tool: facts.tool,
    arguments_json: recordedText,
    arguments_digest: noDigest,
  };
}

function undecided(
  why: Extract<Redecided, { kind: 'undecided' }>['why'],
  reads: readonly string[] = [],
): Redecided {
  return { kind: 'undecided', why, reads };
}
