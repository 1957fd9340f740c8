import { nearest } from '@uar/nearest';
import { toolUid } from '../../../cedar/entity-ids.js';
import type { PartyScope, PolicyJson } from '../../policy-json.js';
import { InputSchema } from './input-schema.js';
import type { KnownTools } from '../known-tools.js';
import { bagOf, formProblem, soughtBy } from './pointer-form.js';
import { pointerReads, type PointerRead } from './pointer-reads.js';
import type { PolicyText } from '../policy-text.js';
import type { PolicyProblem } from '../problem.js';
import { resourceScopes } from './resource-scopes.js';
import type { ToolSchema } from '../tool-schema.js';

interface Read {
  readonly json: PolicyJson;
  readonly text: PolicyText;
}

type Said = Pick<PolicyProblem, 'message' | 'severity'> & { readonly suggestion?: string | undefined };

/** Pointers that no arguments can have, whatever tools there are. */
export function malformedPointers(policy: string, { json, text }: Read): readonly PolicyProblem[] {
  return pointerReads(json.conditions).flatMap((read) => {
    const problem = formProblem(read);
    return problem === undefined
      ? []
      : [{ policy, severity: 'error' as const, ...problem, ...text.tag(read.pointer) }];
  });
}

/**
 * Pointers against the input schemas of the tools in the policy's scope (GOVERNANCE.md 3): an error when every one of them
 * is known and closed there and none has it, a warning when that cannot be said.
 */
export class PointerLint {
  /** Policies of one kind ask the same of the same tools. */
  readonly #judged = new Map<string, Said | undefined>();

  constructor(private readonly known: KnownTools) {}

  problemsOf(policy: string, { json, text }: Read): readonly PolicyProblem[] {
    const reads = pointerReads(json.conditions).filter((read) => formProblem(read) === undefined);
    if (reads.length === 0) return [];
    const scopes = resourceScopes(json);
    return reads.flatMap((read): PolicyProblem[] => {
      const said = this.#judge(read, scopes);
      if (said === undefined) return [];
      const { suggestion, ...rest } = said;
      const meant = suggestion === undefined ? {} : { suggestion };
      return [{ policy, ...rest, ...text.tag(read.pointer), ...meant }];
    });
  }

  #judge(read: PointerRead, scopes: readonly PartyScope[]): Said | undefined {
    const key = JSON.stringify([read, scopes]);
    if (!this.#judged.has(key)) this.#judged.set(key, judge(read, this.#within(scopes)));
    return this.#judged.get(key);
  }

  #within(scopes: readonly PartyScope[]): readonly ToolSchema[] {
    const [first, ...narrower] = scopes.map((scope) => this.known.within(scope));
    const inAll = narrower.map((tools) => new Set(tools));
    return (first ?? []).filter((tool) => inAll.every((others) => others.has(tool)));
  }
}

function judge(read: PointerRead, tools: readonly ToolSchema[]): Said | undefined {
  const named = `argument "${read.pointer}"`;
  if (tools.length === 0)
    return {
      message: `${named} cannot be checked: no tool is in the policy's scope now`,
      severity: 'warning',
    };
  const open: ToolSchema[] = [];
  const types = new Set<string>();
  for (const tool of tools) {
    const looked = lookedFor(read, tool);
    if (looked.kind === 'fits') return undefined;
    if (looked.kind === 'unknown') open.push(tool);
    for (const type of looked.types) types.add(type);
  }
  const [example] = open;
  if (example !== undefined) {
    const message = `${named} cannot be checked: ${open.length} of ${tools.length} tools in the policy's scope have an open schema, as ${idOf(example)}`;
    return { message, severity: 'warning', suggestion: likely(read, tools) };
  }
  if (types.size > 0) return ofOtherType(read, types);
  const message = `no tool in the policy's scope has the ${named}`;
  return { message, severity: 'error', suggestion: likely(read, tools) };
}

type Found = { readonly kind: 'fits' | 'unknown' | 'absent'; readonly types: readonly string[] };

function lookedFor(read: PointerRead, { inputSchema }: ToolSchema): Found {
  const schema = InputSchema.of(inputSchema);
  const types: string[] = [];
  let kind: Found['kind'] = 'absent';
  for (const { pointer, type } of soughtBy(read)) {
    const looked = schema.look(pointer);
    if (looked.kind === 'unknown') kind = 'unknown';
    if (looked.kind !== 'there') continue;
    if (type === 'any' || looked.types.has('any') || looked.types.has(type))
      return { kind: 'fits', types: [] };
    types.push(...looked.types);
  }
  return { kind, types };
}

function ofOtherType({ pointer, bag }: PointerRead, types: ReadonlySet<string>): Said {
  const isRepeated = pointer.split('/').includes('*');
  const right = [...types].map((type) => bagOf(type, isRepeated)).find((one) => one !== undefined);
  const kinds = [...types].toSorted().join(' or ');
  const message = `argument "${pointer}" is ${kinds} in the policy's scope: context.args.${bag} never has it`;
  if (right === undefined || right === bag) return { message, severity: 'error' };
  return { message, severity: 'error', suggestion: `context.args.${right}` };
}

function likely({ pointer }: PointerRead, tools: readonly ToolSchema[]): string | undefined {
  const pointers = new Set<string>();
  for (const { inputSchema } of tools)
    for (const named of InputSchema.of(inputSchema).pointers()) pointers.add(named.pointer);
  return nearest(pointer, [...pointers]);
}

function idOf({ facts }: ToolSchema): string {
  return toolUid(facts.tenant, facts.server, facts.raw_name).id;
}
