import type { RecordedArguments, ToolFacts } from '@uar/contracts';
import { readArguments, type ArgumentFacts, type ArgumentReader } from '../facts/argument-facts.js';
import type { Bags } from '../facts/bags.js';
import { declaresAll, type FactName, type Facts } from '../facts/extract.js';
import type { ValueReads } from './pointer-reads.js';
import { isSecret } from './secret-tags.js';

type Read = Extract<RecordedArguments, { kind: 'read' }>;

const mostChars = 16_384;
const noFacts: ReadonlySet<FactName> = new Set();

/** What is kept of arguments: all tags, but values only where `reads` names them and they are not secret. */
export function recordArguments(argumentText: string, tool: ToolFacts, reads: ValueReads): RecordedArguments {
  const read = readArguments(argumentText, tool.extractors, noFacts);
  if (read.kind === 'rejected') return { kind: 'rejected' };
  const { bags } = read;
  const isKept = (tag: string) => reads.tags.has(tag) && !isSecret(tag, tool.secret_pointers);
  const recorded: Read = {
    kind: 'read',
    tags: {
      s: Object.keys(bags.s),
      n: Object.keys(bags.n),
      d: Object.keys(bags.d),
      b: Object.keys(bags.b),
      l: Object.keys(bags.l),
    },
    values: {
      s: kept(bags.s, isKept),
      n: kept(bags.n, isKept),
      d: kept(bags.d, isKept),
      b: kept(bags.b, isKept),
      l: mutable(kept(bags.l, isKept)),
    },
    paths: [...bags.paths],
    nulls: [...bags.nulls],
    lossless: bags.lossless,
    facts: shownFacts(read.facts, tool),
  };
  return JSON.stringify(recorded).length > mostChars ? { kind: 'left_out' } : recorded;
}

function kept<T>(bag: Readonly<Record<string, T>>, isKept: (tag: string) => boolean): Record<string, T> {
  return Object.fromEntries(Object.entries(bag).filter(([tag]) => isKept(tag)));
}

function mutable(lists: Record<string, readonly string[]>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(lists).map(([tag, values]) => [tag, [...values]]));
}

/** Facts that are made of secret arguments are secret. */
function shownFacts(facts: Facts, { extractors, secret_pointers: secret }: ToolFacts): Read['facts'] {
  const sources = sourcesOf(extractors);
  const names: readonly FactName[] = ['pathRoots', 'hosts', 'recipientDomains', 'amount'];
  const hidden = names.filter((name) => sources[name].some((pointer) => isSecret(pointer, secret)));
  const shown = (name: 'pathRoots' | 'hosts' | 'recipientDomains') =>
    hidden.includes(name) ? [] : [...facts[name]];
  return {
    pathRoots: shown('pathRoots'),
    hosts: shown('hosts'),
    recipientDomains: shown('recipientDomains'),
    ...(facts.amount === undefined || hidden.includes('amount') ? {} : { amount: facts.amount }),
    complete: facts.complete,
    hidden,
  };
}

/** The arguments each fact is made of. */
function sourcesOf(extractors: ToolFacts['extractors']): Readonly<Record<FactName, readonly string[]>> {
  return {
    pathRoots: extractors.paths,
    hosts: extractors.hosts,
    recipientDomains: extractors.recipients,
    amount: extractors.amount === undefined ? [] : [extractors.amount],
  };
}

/** Stands for an argument text that nobody has any more. */
export const recordedText = '';

/** Reads what was recorded where its text is asked for, and any other text as it is. */
export function readerOf(recorded: RecordedArguments): ArgumentReader {
  return (argumentText, extractors, factsRead) => {
    if (argumentText !== recordedText) return readArguments(argumentText, extractors, factsRead);
    return recalled(recorded, extractors, factsRead);
  };
}

function recalled(
  recorded: RecordedArguments,
  extractors: ToolFacts['extractors'],
  factsRead: ReadonlySet<FactName>,
): ArgumentFacts {
  switch (recorded.kind) {
    case 'rejected':
    case 'left_out':
      return { kind: 'rejected', problem: recorded.kind };
    case 'read': {
      const { pathRoots, hosts, recipientDomains, amount, complete } = recorded.facts;
      return {
        kind: 'read',
        bags: recalledBags(recorded),
        facts: {
          ...{ pathRoots, hosts, recipientDomains },
          ...(amount === undefined ? {} : { amount }),
          complete: complete && declaresAll(extractors, factsRead),
        },
      };
    }
  }
}

/** Tags whose values were not kept hold something of their type, so that they are there; nobody may decide by it. */
function recalledBags({ tags, values, paths, nulls, lossless }: Read): Bags {
  return {
    s: { ...filled(tags.s, ''), ...values.s },
    n: { ...filled(tags.n, 0), ...values.n },
    d: { ...filled(tags.d, '0.0'), ...values.d },
    b: { ...filled(tags.b, false), ...values.b },
    l: { ...filled<readonly string[]>(tags.l, []), ...values.l },
    ...{ paths, nulls, lossless },
  };
}

function filled<T>(tags: readonly string[], value: T): Record<string, T> {
  return Object.fromEntries(tags.map((tag) => [tag, value]));
}

/** Pointers that `reads` needs and nobody kept; empty where the record decides. */
export function lacking(recorded: RecordedArguments, tool: ToolFacts, reads: ValueReads): readonly string[] {
  if (recorded.kind !== 'read') return [];
  const { tags, values, facts } = recorded;
  const bags = ['s', 'n', 'd', 'b', 'l'] as const;
  const unkept = bags.flatMap((bag) => tags[bag].filter((tag) => !Object.hasOwn(values[bag], tag)));
  const needed = unkept.filter((tag) => reads.any || reads.tags.has(tag));
  const sources = sourcesOf(tool.extractors);
  const ofFacts = facts.hidden.filter((name) => reads.facts.has(name)).flatMap((name) => sources[name]);
  return [...new Set([...needed, ...ofFacts])].toSorted();
}
