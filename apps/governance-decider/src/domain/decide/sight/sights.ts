import type { Caller, ToolFacts } from '@uar/contracts';
import type { CedarQuestion } from '../../cedar/cedar.js';
import { judge, type Verdict } from '../../cedar/judge.js';
import { policiesFor, readsArguments, readsTime, type PolicySet } from '../../policy/policy-set.js';
import { coversEntity } from '../../policy/scope.js';
import { toolClass } from '../../policy/tool-class.js';
import { toolReads } from '../../policy/tool-reads.js';
import { placeOf } from '../../question/entities.js';
import { toolQuestions, type ToolQuestions } from '../../question/tool-questions.js';
import type { CedarParts } from '../cedar-judge.js';
import type { CallerView } from './sight-memory.js';
import { all, type ToolSight } from '../verdict.js';

type Parts = Omit<CedarParts, 'remembered'>;
type ReadyQuestions = Extract<ToolQuestions, { kind: 'ready' }>;

/** Questions of one message to the engine: small enough to let calls pass between them. */
const questionsPerBatch = 32;
const hidden: ToolSight = { kind: 'hidden' };

/** Tools that no policy can tell apart are asked about once. An engine that gives no answer is a fault, not an empty list. */
export async function seeTools(
  parts: Parts & { readonly view: CallerView },
  as: { readonly caller: Caller; readonly set: PolicySet },
  tools: readonly ToolFacts[],
): Promise<readonly ToolSight[]> {
  const keys = tools.map((tool) => toolClass(tool, as.set));
  const known = keys.map((key) => parts.view.find(key));
  if (known.every((sight) => sight !== undefined)) return known;
  const seen = await parts.view.inTurn(() => seeUnknown(parts, as, new Map(zip(keys, tools))));
  return keys.map((key) => seen.get(key) ?? hidden);
}

/** What is known of these classes, and what can be found out; the latter is kept where no clock had a part in it. */
async function seeUnknown(
  parts: Parts & { readonly view: CallerView },
  as: { readonly caller: Caller; readonly set: PolicySet },
  members: ReadonlyMap<string, ToolFacts>,
): Promise<ReadonlyMap<string, ToolSight>> {
  const sights = new Map<string, ToolSight>();
  const unknown = new Map<string, ToolFacts>();
  for (const [key, tool] of members) {
    const sight = parts.view.find(key);
    if (sight === undefined) unknown.set(key, tool);
    else sights.set(key, sight);
  }
  const found = await seeClasses(parts, { ...as, members: unknown });
  for (const [key, { sight, isRepeatable }] of found) {
    sights.set(key, sight);
    if (isRepeatable) parts.view.store(key, sight);
  }
  return sights;
}

function zip(keys: readonly string[], tools: readonly ToolFacts[]): [string, ToolFacts][] {
  return tools.map((tool, index) => [keys[index] ?? '', tool]);
}

interface Seen {
  readonly sight: ToolSight;
  readonly isRepeatable: boolean;
}

interface Classes {
  readonly caller: Caller;
  readonly set: PolicySet;
  readonly members: ReadonlyMap<string, ToolFacts>;
}

async function seeClasses(parts: Parts, classes: Classes): Promise<ReadonlyMap<string, Seen>> {
  const prepared = [...classes.members].flatMap(([key, tool]) => {
    const ready = prepare(parts, classes, tool);
    return ready.kind === 'ready' ? [{ key, tool, ready }] : [];
  });
  const discovered = await ask(
    parts,
    classes.set,
    prepared.map(({ ready }) => ready.questions('discoverTool')),
  );
  const asked = prepared.map((one, index) => ({ ...one, discovery: discovered[index] }));
  const visible = asked.filter(({ discovery }) => discovery?.kind === 'yes');
  const unattended = await ask(
    parts,
    classes.set,
    visible.map(({ ready }) => ready.questions('callToolUnattended')),
  );
  const isTimeless = (tool: ToolFacts) => !toolReads(classes.set, tool).time;
  return new Map([
    ...asked.map(({ key, tool, discovery }): [string, Seen] => [
      key,
      { sight: hidden, isRepeatable: isAnswered(discovery) && isTimeless(tool) },
    ]),
    ...visible.map(({ key, tool, ready }, index): [string, Seen] => {
      const approval = approvalHint(unattended[index], { set: classes.set, tool, ready });
      const isRepeatable = isAnswered(unattended[index]) && isTimeless(tool);
      return [key, { sight: { kind: 'visible', approval }, isRepeatable }];
    }),
  ]);
}

/** By the policies, not by what befell the engine. */
function isAnswered(verdict: Verdict | undefined): boolean {
  if (verdict === undefined) return false;
  return verdict.kind === 'yes' || verdict.code === 'not_permitted' || verdict.code === 'forbidden';
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
