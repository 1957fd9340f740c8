import type { Caller, ToolFacts } from '@uar/contracts';
import type { CedarQuestion } from '../cedar/cedar.js';
import { judge, type Verdict } from '../cedar/judge.js';
import { policiesFor, readsArguments, readsTime, type PolicySet } from '../policy/policy-set.js';
import { coversEntity } from '../policy/scope.js';
import { placeOf } from '../question/entities.js';
import { toolQuestions, type ToolQuestions } from '../question/tool-questions.js';
import type { CedarParts } from './cedar-judge.js';
import { all, type ToolSight } from './verdict.js';

type Parts = Omit<CedarParts, 'remembered'>;
type ReadyQuestions = Extract<ToolQuestions, { kind: 'ready' }>;

/** Questions of one message to the engine: small enough to let calls pass between them. */
const questionsPerBatch = 32;
const hidden: ToolSight = { kind: 'hidden' };

/** Tools that no policy can tell apart are asked about once. An engine that gives no answer is a fault, not an empty list. */
export async function seeTools(
  parts: Parts,
  caller: Caller,
  tools: readonly ToolFacts[],
): Promise<readonly ToolSight[]> {
  const set = parts.sets.of(caller.principal.tenant);
  if (set === undefined) return tools.map(() => hidden);
  const keys = tools.map((tool) => classOf(tool, set));
  const members = new Map<string, ToolFacts>();
  tools.forEach((tool, index) => members.set(keys[index] ?? '', tool));
  const sights = await seeClasses(parts, { caller, set, members });
  return keys.map((key) => sights.get(key) ?? hidden);
}

/** All that policies can see of a tool. Its name only counts where some policy names it. */
function classOf(tool: ToolFacts, set: PolicySet): string {
  const named = set.namedTools.has(placeOf(tool).uid.id);
  const { extractors: declared } = tool;
  const extractors = [declared.paths, declared.hosts, declared.recipients].map(
    (pointers) => pointers.length > 0,
  );
  return JSON.stringify({
    ...tool,
    raw_name: named ? tool.raw_name : null,
    definition_digest: null,
    secret_pointers: null,
    extractors: [...extractors, declared.amount !== undefined],
  });
}

interface Classes {
  readonly caller: Caller;
  readonly set: PolicySet;
  readonly members: ReadonlyMap<string, ToolFacts>;
}

async function seeClasses(parts: Parts, classes: Classes): Promise<ReadonlyMap<string, ToolSight>> {
  const prepared = [...classes.members].flatMap(([key, tool]) => {
    const ready = prepare(parts, classes, tool);
    return ready.kind === 'ready' ? [{ key, tool, ready }] : [];
  });
  const seen = await ask(
    parts,
    classes.set,
    prepared.map(({ ready }) => ready.questions('discoverTool')),
  );
  const visible = prepared.filter((_, index) => seen[index]?.kind === 'yes');
  const unattended = await ask(
    parts,
    classes.set,
    visible.map(({ ready }) => ready.questions('callToolUnattended')),
  );
  return new Map(
    visible.map(({ key, tool, ready }, index) => {
      const approval = approvalHint(unattended[index], { set: classes.set, tool, ready });
      return [key, { kind: 'visible', approval }];
    }),
  );
}

function prepare(parts: Parts, classes: Classes, tool: ToolFacts): ToolQuestions {
  const { profile, directory, now } = parts;
  const ask = { caller: classes.caller, tool, argumentText: '{}', profile, now: now() };
  return toolQuestions(ask, classes.set, directory);
}

/** One verdict per group of questions, asked in small batches. */
async function ask(
  parts: Parts,
  set: PolicySet,
  groups: readonly (readonly CedarQuestion[])[],
): Promise<readonly Verdict[]> {
  const questions = groups.flat();
  const verdicts: Verdict[] = [];
  for (let at = 0; at < questions.length; at += questionsPerBatch) {
    const batch = questions.slice(at, at + questionsPerBatch);
    const answers = await parts.engine.ask({ set: set.version, questions: batch, stopAtRefusal: false });
    const lost = answers.find((answer) => answer.kind === 'lost');
    if (lost?.kind === 'lost') throw new Error(`no answer about ${batch.length} questions: ${lost.cause}`);
    verdicts.push(...batch.map((_, index) => judge(answers[index], set)));
  }
  let from = 0;
  return groups.map((group) => {
    from += group.length;
    return all(verdicts.slice(from - group.length, from));
  });
}

/** `never` and `always` are said only where no argument and no clock can change them (API.md 2). */
function approvalHint(
  verdict: Verdict | undefined,
  about: { readonly set: PolicySet; readonly tool: ToolFacts; readonly ready: ReadyQuestions },
): 'never' | 'maybe' | 'always' {
  const applicable = policiesFor(about.set, placeOf(about.tool), ['callToolUnattended']).filter(({ json }) =>
    about.ready.subjects.subjects.some((subject) => coversEntity(json.principal, subject)),
  );
  if (verdict === undefined || readsArguments(applicable) || readsTime(applicable)) return 'maybe';
  if (verdict.kind === 'yes') return 'never';
  return verdict.code === 'forbidden' || verdict.code === 'not_permitted' ? 'always' : 'maybe';
}
