import type { ToolFacts } from '@uar/contracts';
import type { FactName } from '../facts/extract.js';
import { contextSteps, expressionsIn, isVariable, operands } from '../policy/lint/expressions.js';
import { factsRead, policiesFor, type Policy, type PolicySet } from '../policy/policy-set.js';
import { coversEntity, type Placed } from '../policy/scope.js';
import { placeOf } from '../question/entities.js';

/** Which values of arguments policies read. */
export interface ValueReads {
  /** Tags that stand in the text of a policy. */
  readonly tags: ReadonlySet<string>;
  /** Some tag is computed: it may be any. */
  readonly any: boolean;
  readonly facts: ReadonlySet<FactName>;
}

const maxRemembered = 50_000;
const remembered = new WeakMap<PolicySet, Map<string, ValueReads>>();

/** What the policies in force for a tool read, whoever calls it. Found once per set and place of a tool. */
export function valueReads(set: PolicySet, tool: ToolFacts): ValueReads {
  const place = JSON.stringify([tool.tenant, tool.server, tool.raw_name, tool.family, tool.labels]);
  const known = remembered.get(set) ?? new Map<string, ValueReads>();
  remembered.set(set, known);
  const found = known.get(place) ?? readsOf(ofCalls(set, tool));
  if (known.size >= maxRemembered) known.clear();
  known.set(place, found);
  return found;
}

/** The same of the policies whose scope fits one of these subjects too. */
export function valueReadsBy(set: PolicySet, tool: ToolFacts, subjects: readonly Placed[]): ValueReads {
  const applicable = ofCalls(set, tool).filter(({ json }) =>
    subjects.some((subject) => coversEntity(json.principal, subject)),
  );
  return readsOf(applicable);
}

function ofCalls(set: PolicySet, tool: ToolFacts): readonly Policy[] {
  return policiesFor(set, placeOf(tool), ['callTool', 'callToolUnattended', 'callToolApproved']);
}

function readsOf(policies: readonly Policy[]): ValueReads {
  const tags = new Set<string>();
  let any = false;
  for (const { json } of policies)
    for (const expression of expressionsIn(json.conditions)) {
      const read = operands(expression, 'getTag');
      if (read === undefined || !mayBeArguments(read.left)) continue;
      const tag = literal(read.right);
      if (tag === undefined) any = true;
      else tags.add(tag);
    }
  return { tags, any, facts: factsRead(policies) };
}

/** A bag of arguments, or an expression that could be one. */
function mayBeArguments(bag: unknown): boolean {
  const steps = contextSteps(bag);
  if (steps !== undefined) return steps[0] === 'args';
  return [...expressionsIn(bag)].some((part) => isVariable(part, 'context'));
}

function literal(expression: unknown): string | undefined {
  if (typeof expression !== 'object' || expression === null || !('Value' in expression)) return undefined;
  return typeof expression.Value === 'string' ? expression.Value : undefined;
}
