import { argumentsDigest } from '@uar/json-text';
import type { CallQuestion } from '@uar/contracts';
import type { CedarQuestion, CedarValue, Engine } from '../cedar/cedar.js';
import { judge } from '../cedar/judge.js';
import { CedarJudge, type CedarParts } from '../decide/cedar-judge.js';
import { all } from '../decide/verdict.js';
import type { PolicySet } from '../policy/policy-set.js';
import { actionQuestions, type ActionQuestions, type Target } from '../question/action-questions.js';
import { toolQuestions } from '../question/tool-questions.js';
import type { Case, CaseFile, Question } from './case-file.js';
import { Fixtures } from './fixtures.js';

/** What a case led to, in the words of its file. */
export interface Found {
  readonly decision?: 'allow' | 'deny' | 'require_approval';
  readonly outcome?: string;
  readonly cause?: string;
  readonly policies?: readonly string[];
  readonly sees?: readonly string[];
}

type Of<K extends Question['ask']> = Extract<Question, { ask: K }>;

interface Bench {
  readonly fixtures: Fixtures;
  readonly parts: CedarParts;
  readonly set: PolicySet;
}

/** Answers a case with the very code that answers live questions. */
export async function runCase(
  file: CaseFile,
  question: Question,
  on: { set: PolicySet; engine: Engine },
): Promise<Found> {
  const fixtures = new Fixtures(file, question);
  const parts: CedarParts = {
    sets: { of: () => on.set },
    engine: on.engine,
    directory: fixtures.directory(),
    profile: fixtures.profile,
    now: () => fixtures.now,
    remembered: 0,
  };
  const bench = { fixtures, parts, set: on.set };
  switch (question.ask) {
    case 'call':
      return call(bench, question);
    case 'release':
      return release(bench, question);
    case 'list':
      return list(bench, question);
    case 'cedar':
      return cedar(bench, question);
    case 'action':
      return action(bench, question);
    case 'approval':
      return approval(bench, question);
  }
}

/** Differences between what a case says and what was found; empty when it holds. */
export function differences(expected: Case, found: Found): readonly string[] {
  const names = ['decision', 'outcome', 'cause', 'policies', 'sees'] as const;
  return names.flatMap((name) => {
    if (expected[name] === undefined) return [];
    const [wanted, had] = [text(expected[name]), text(found[name])];
    return wanted === had ? [] : [`${name}: expected ${wanted}, found ${had}`];
  });
}

function text(value: string | readonly string[] | undefined): string {
  if (value === undefined) return '(nothing)';
  return typeof value === 'string' ? value : `[${value.toSorted().join(' ')}]`;
}

function callQuestion(bench: Bench, question: Of<'call' | 'release' | 'cedar'>): CallQuestion {
  const argumentText = argumentTextOf(question);
  return {
    call_id: `call_${'0'.repeat(32)}` as CallQuestion['call_id'],
    caller: bench.fixtures.caller(question.principal, question.agent),
    tool: bench.fixtures.tool(question.tool, question.tool_is),
    arguments_json: argumentText,
    arguments_digest: argumentsDigest(argumentText),
  };
}

function argumentTextOf(question: Of<'call' | 'release' | 'cedar'>): string {
  const { arguments_of: shape, arguments_text: exact } = question;
  if (exact !== undefined) return exact;
  if (shape === undefined) return JSON.stringify(question.arguments ?? {});
  if ('levels' in shape) return `${'{"a":'.repeat(shape.levels)}1${'}'.repeat(shape.levels)}`;
  return JSON.stringify({ a: new Array<number>(shape.values).fill(0) });
}

async function call(bench: Bench, question: Of<'call'>): Promise<Found> {
  const { verdict } = await new CedarJudge(bench.parts).judgeCall(callQuestion(bench, question));
  const { determining: policies, kind: decision, ...rest } = verdict;
  return { decision, policies, ...('cause' in rest ? { outcome: rest.outcome, cause: rest.cause } : {}) };
}

async function release(bench: Bench, question: Of<'release'>): Promise<Found> {
  const { fixtures } = bench;
  const requestedAt = fixtures.now - question.age_seconds * 1000;
  const { verdict } = await new CedarJudge(bench.parts).judgeRelease(callQuestion(bench, question), {
    approvalId: 'appr_case',
    votes: question.votes.map(({ by, channel }) => ({ principal: fixtures.principal(by), channel })),
    requestedAt,
    expiresAt: requestedAt + question.lifetime_seconds * 1000,
    ...(question.parties === undefined
      ? {}
      : { parties: question.parties.map((name) => fixtures.user(name)) }),
  });
  const { determining: policies, kind: decision, ...rest } = verdict;
  return { decision, policies, ...('cause' in rest ? { outcome: rest.outcome, cause: rest.cause } : {}) };
}

async function list(bench: Bench, question: Of<'list'>): Promise<Found> {
  const tools = bench.fixtures.tools();
  const caller = bench.fixtures.caller(question.principal, question.agent);
  const sights = await new CedarJudge(bench.parts).sights(caller, tools);
  const seen = tools.filter((_, index) => sights[index]?.kind === 'visible');
  return { sees: seen.map((tool) => `${tool.tenant}/${tool.server}/${tool.raw_name}`) };
}

async function cedar(bench: Bench, question: Of<'cedar'>): Promise<Found> {
  const { caller, tool, arguments_json: argumentText } = callQuestion(bench, question);
  const { directory, profile } = bench.parts;
  const ready = toolQuestions(
    { caller, tool, argumentText, profile, now: bench.fixtures.now },
    bench.set,
    directory,
  );
  if (ready.kind === 'refused') return { decision: 'deny', cause: ready.cause };
  const added = (question.context ?? {}) as Record<string, CedarValue>;
  const left = question.without ?? [];
  const questions = ready.questions(question.action).map((asked) => ({
    ...asked,
    context: { ...asked.context, ...added },
    entities: asked.entities.filter(({ uid }) => !left.some((type) => uid.type === `UAR::${type}`)),
  }));
  return asked(bench, { kind: 'ready', questions });
}

async function action(bench: Bench, question: Of<'action'>): Promise<Found> {
  const { fixtures } = bench;
  const caller = fixtures.caller(question.principal, question.agent);
  const tenant = question.tenant ?? caller.principal.tenant;
  const authors = (question.authors ?? []).map((name) => fixtures.user(name));
  const kinds = { readResource: 'resource', getPrompt: 'prompt' } as const;
  const target: Target =
    question.action === 'readResource' || question.action === 'getPrompt'
      ? {
          kind: kinds[question.action],
          id: 'x',
          tenant,
          server: question.server ?? 'docs',
        }
      : { kind: 'tenant', tenant };
  const moment = { caller, profile: fixtures.profile, now: fixtures.now };
  return asked(
    bench,
    actionQuestions(moment, { action: question.action, target, authors }, bench.parts.directory),
  );
}

async function approval(bench: Bench, question: Of<'approval'>): Promise<Found> {
  const { fixtures } = bench;
  const tool = fixtures.tool(question.tool, question.tool_is);
  const caller = fixtures.caller(question.principal, question.agent);
  const target: Target = {
    kind: 'approval',
    id: 'appr_case',
    tenant: tool.tenant,
    tool,
    parties: question.parties.map((name) => fixtures.user(name)),
    expiresAt: fixtures.now + question.expires_in_seconds * 1000,
  };
  const moment = { caller, profile: fixtures.profile, now: fixtures.now };
  return asked(bench, actionQuestions(moment, { action: question.action, target }, bench.parts.directory));
}

async function asked(bench: Bench, prepared: ActionQuestions): Promise<Found> {
  if (prepared.kind === 'refused') return { decision: 'deny', cause: prepared.cause, policies: [] };
  const questions: readonly CedarQuestion[] = prepared.questions;
  const answers = await bench.parts.engine.ask({ set: bench.set.version, questions, stopAtRefusal: true });
  const verdict = all(questions.map((_, index) => judge(answers[index], bench.set)));
  if (verdict.kind === 'yes') return { decision: 'allow', policies: verdict.determining };
  return { decision: 'deny', cause: verdict.code, policies: verdict.determining };
}
