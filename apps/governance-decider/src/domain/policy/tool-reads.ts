import type { ToolFacts } from '@uar/contracts';
import type { FactName } from '../facts/extract.js';
import { placeOf } from '../question/entities.js';
import { factsRead, policiesFor, readsArguments, readsTime, type PolicySet } from './policy-set.js';

/** What the policies in force for a tool read, whoever calls it. */
export interface ToolReads {
  readonly facts: ReadonlySet<FactName>;
  /** Some policy reads an argument or a fact, beyond whether they could be read at all. */
  readonly arguments: boolean;
  readonly time: boolean;
}

const maxRemembered = 50_000;
const remembered = new WeakMap<PolicySet, Map<string, ToolReads>>();

/** Found once per set and place of a tool: sets do not change, and thousands of policies are slow to go through. */
export function toolReads(set: PolicySet, tool: ToolFacts): ToolReads {
  const place = JSON.stringify([tool.tenant, tool.server, tool.raw_name, tool.family, tool.labels]);
  const known = remembered.get(set) ?? new Map<string, ToolReads>();
  remembered.set(set, known);
  const found = known.get(place) ?? readsOf(set, tool);
  if (known.size >= maxRemembered) known.clear();
  known.set(place, found);
  return found;
}

function readsOf(set: PolicySet, tool: ToolFacts): ToolReads {
  const place = placeOf(tool);
  const ofCalls = policiesFor(set, place, ['callTool', 'callToolUnattended', 'callToolApproved']);
  const ofAll = policiesFor(set, place, [
    'discoverTool',
    'callTool',
    'callToolUnattended',
    'callToolApproved',
  ]);
  return { facts: factsRead(ofCalls), arguments: readsArguments(ofCalls), time: readsTime(ofAll) };
}
