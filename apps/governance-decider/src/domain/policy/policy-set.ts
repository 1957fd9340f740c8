import { textDigest } from '@uar/json-text';
import type { KnownPolicies } from '../cedar/judge.js';
import type { FactName } from '../facts/extract.js';
import type { PolicyJson } from './policy-json.js';
import { contextReads, mayRead, mentionedIds, type ContextReads } from './reads.js';
import { coversAction, coversEntity, type Placed, type ToolAction } from './scope.js';

/** Texts of policies by id (`p/...`, `t/...`) and the schema they are written for. */
export interface PolicyTexts {
  readonly schema: string;
  readonly policies: Readonly<Record<string, string>>;
}

export interface Policy {
  readonly id: string;
  readonly json: PolicyJson;
  readonly reads: ContextReads;
}

/** One set of policies that the engine holds under `version`. */
export interface PolicySet extends KnownPolicies {
  readonly version: string;
  readonly policies: readonly Policy[];
  /** `@reason` of a policy, or its id. */
  reasonOf(id: string): string;
  /** Ids of tools that some policy names: such a tool is like no other. */
  readonly namedTools: ReadonlySet<string>;
  /** Of resources and prompts. */
  readonly namedItems: ReadonlySet<string>;
  /** Some policy reads the run or the session. */
  readonly readsRun: boolean;
}

/** Named instead of a version where no set is in force. */
export const noVersion = 'none';

/** `sha256:` over the canonical form: schema, then the policies by id. */
export function versionOf(texts: PolicyTexts): string {
  const canonical = JSON.stringify([
    texts.schema,
    Object.entries(texts.policies).toSorted(([left], [right]) => (left < right ? -1 : 1)),
  ]);
  return textDigest(canonical);
}

export function policySet(version: string, parsed: ReadonlyMap<string, PolicyJson>): PolicySet {
  const policies = [...parsed].map(([id, json]) => ({ id, json, reads: contextReads(json.conditions) }));
  const idsOf = (effect: 'permit' | 'forbid') =>
    new Set(policies.filter((policy) => policy.json.effect === effect).map((policy) => policy.id));
  const named = (type: string) => new Set(policies.flatMap(({ json }) => mentionedIds(json, type)));
  return {
    version,
    policies,
    permits: idsOf('permit'),
    forbids: idsOf('forbid'),
    reasonOf: (id) => parsed.get(id)?.annotations?.['reason'] ?? id,
    namedTools: named('UAR::Tool'),
    namedItems: new Set([...named('UAR::Resource'), ...named('UAR::Prompt')]),
    readsRun: policies.some(({ reads }) => mayRead(reads, 'env.runId') || mayRead(reads, 'env.sessionId')),
  };
}

/** Policies whose scope fits the tool under one of the actions, whoever the principal is. */
export function policiesFor(set: PolicySet, tool: Placed, actions: readonly ToolAction[]): readonly Policy[] {
  return set.policies.filter(
    ({ json }) =>
      coversEntity(json.resource, tool) && actions.some((action) => coversAction(json.action, action)),
  );
}

const factNames: readonly FactName[] = ['pathRoots', 'hosts', 'recipientDomains', 'amount'];

export function factsRead(policies: readonly Policy[]): ReadonlySet<FactName> {
  return new Set(factNames.filter((name) => policies.some(({ reads }) => mayRead(reads, `facts.${name}`))));
}

export function readsTime(policies: readonly Policy[]): boolean {
  return policies.some(({ reads }) => mayRead(reads, 'env.now'));
}

const argumentParts = ['args.s', 'args.n', 'args.d', 'args.b', 'args.l', 'args.paths', 'args.nulls'];

/** Beyond whether they could be read at all (`lossless`, `complete`), which the platform's own gate asks of every call. */
export function readsArguments(policies: readonly Policy[]): boolean {
  const parts = [...argumentParts, ...factNames.map((name) => `facts.${name}`)];
  return policies.some(({ reads }) => parts.some((part) => mayRead(reads, part)));
}

/** An argument, a fact of one, whether they could be read at all, or the clock: what the next call may have otherwise. */
export function readsCall(policy: Policy): boolean {
  const roots = [...policy.reads].map((path) => path.split('.')[0]);
  return ['*', 'args', 'facts'].some((root) => roots.includes(root)) || readsTime([policy]);
}
