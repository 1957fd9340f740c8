import type { RecordedFacts, RecordedVerdict } from '@uar/contracts';
import { textDigest } from '@uar/json-text';
import type { CallVerdict } from '../decide/verdict.js';
import type { DecisionNote } from './decision-note.js';
import { recordedDirectory } from './directory-facts.js';
import { valueReads, type ValueReads } from './pointer-reads.js';
import { recordArguments } from './recorded-arguments.js';

export interface FactsText {
  readonly digest: string;
  readonly json: string;
}

const nothing: ValueReads = { tags: new Set(), any: false, facts: new Set() };

/** What is kept of all that a decision rested on: no token, and no value of an argument that no policy in force names. */
export function factsTextOf(note: DecisionNote): FactsText {
  const json = JSON.stringify(recordedFacts(note));
  return { digest: textDigest(json), json };
}

export function recordedFacts(note: DecisionNote): RecordedFacts {
  const { question, set, directory, profile, votes } = note;
  const { principal, channel, ip, run_limits } = question.caller;
  const reads = set === undefined ? nothing : valueReads(set, question.tool);
  return {
    caller: {
      principal: { ...principal, expires_at: 0 },
      channel,
      ...(ip === undefined ? {} : { ip }),
      ...(run_limits === undefined ? {} : { run_limits }),
    },
    tool: question.tool,
    profile,
    arguments: recordArguments(question.arguments_json, question.tool, reads),
    directory: recordedDirectory(directory),
    ...(votes === undefined ? {} : { approval: recordedVotes(votes) }),
  };
}

function recordedVotes(votes: NonNullable<DecisionNote['votes']>): RecordedFacts['approval'] {
  return {
    approval_id: votes.approvalId,
    votes: votes.votes.map(({ principal, channel }) => ({ principal, channel })),
    requested_at: votes.requestedAt,
    expires_at: votes.expiresAt,
  };
}

export function recordedVerdict(verdict: CallVerdict): RecordedVerdict {
  const determining = [...verdict.determining];
  if (verdict.kind !== 'deny') return { kind: verdict.kind, determining };
  return { kind: 'deny', outcome: verdict.outcome, cause: verdict.cause, determining };
}
