import type { ToolFacts } from '@uar/contracts';
import { hostOf, recipientDomains } from './hosts.js';
import type { Leaf } from './leaves.js';
import { cedarNumber } from './number.js';
import { pathRoot } from './paths.js';

/** Names of facts as policies read them. */
export type FactName = 'pathRoots' | 'hosts' | 'recipientDomains' | 'amount';

/** What host code found in the arguments, never what a model says about them (GOVERNANCE.md 3). */
export interface Facts {
  readonly pathRoots: readonly string[];
  readonly hosts: readonly string[];
  readonly recipientDomains: readonly string[];
  /** Text for Cedar's `decimal()`. */
  readonly amount?: string;
  /** False when a declared extractor failed, or a policy in force reads a fact that nobody extracts for the tool. */
  readonly complete: boolean;
}

type Extractors = ToolFacts['extractors'];

export function extractFacts(
  leaves: readonly Leaf[],
  extractors: Extractors,
  factsRead: ReadonlySet<FactName>,
): Facts {
  const paths = collect(leaves, extractors.paths, (text) => asList(pathRoot(text)));
  const hosts = collect(leaves, extractors.hosts, (text) => asList(hostOf(text)));
  const recipients = collect(leaves, extractors.recipients, recipientDomains);
  const amount = readAmount(leaves, extractors.amount);
  const parts = [paths, hosts, recipients, amount];
  return {
    pathRoots: paths.values,
    hosts: hosts.values,
    recipientDomains: recipients.values,
    ...(amount.values[0] === undefined ? {} : { amount: amount.values[0] }),
    complete: parts.every((part) => !part.failed) && declaresAll(extractors, factsRead),
  };
}

export function declaresAll(extractors: Extractors, names: ReadonlySet<FactName>): boolean {
  return [...names].every((name) => declares(extractors, name));
}

interface Extracted {
  readonly values: readonly string[];
  readonly failed: boolean;
}

/** Applies one extractor to every string at its pointers. Anything else that stands in its way is a failure. */
function collect(
  leaves: readonly Leaf[],
  pointers: readonly string[],
  extract: (text: string) => readonly string[] | undefined,
): Extracted {
  const values = new Set<string>();
  let failed = false;
  for (const leaf of leaves) {
    if (!pointers.some((pointer) => concerns(leaf, pointer))) continue;
    const found = leaf.kind === 'string' && pointers.includes(leaf.pointer) ? extract(leaf.text) : undefined;
    if (found === undefined) failed = true;
    else for (const value of found) values.add(value);
  }
  return { values: [...values], failed };
}

/** A number, or a string that spells one; exactly one of it, within four decimals. */
function readAmount(leaves: readonly Leaf[], pointer: string | undefined): Extracted {
  if (pointer === undefined) return { values: [], failed: false };
  const found = leaves.filter((leaf) => concerns(leaf, pointer));
  if (found.length === 0) return { values: [], failed: false };
  const [leaf] = found;
  const isReadable = found.length === 1 && leaf?.pointer === pointer && /^(number|string)$/.test(leaf.kind);
  const decimal = isReadable && leaf !== undefined ? cedarNumber(leaf.text).decimal : undefined;
  return decimal === undefined ? { values: [], failed: true } : { values: [decimal], failed: false };
}

/** The leaf stands where the declared value should, below it, or in the place of something that should hold it. */
function concerns(leaf: Leaf, declared: string): boolean {
  const isAbove = leaf.kind !== 'empty' && declared.startsWith(`${leaf.pointer}/`);
  return leaf.pointer === declared || leaf.pointer.startsWith(`${declared}/`) || isAbove;
}

function declares(extractors: Extractors, name: FactName): boolean {
  switch (name) {
    case 'pathRoots':
      return extractors.paths.length > 0;
    case 'hosts':
      return extractors.hosts.length > 0;
    case 'recipientDomains':
      return extractors.recipients.length > 0;
    case 'amount':
      return extractors.amount !== undefined;
  }
}

function asList(value: string | undefined): readonly string[] | undefined {
  return value === undefined ? undefined : [value];
}
