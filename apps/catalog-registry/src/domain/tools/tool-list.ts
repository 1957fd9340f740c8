import {
  definitionBounds,
  definitionDigest,
  definitionFlags,
  publicName,
  readDefinition,
  type Definition,
  type DefinitionFlag,
} from '@uar/catalog';
import type { Digest, ToolName } from '@uar/contracts';
import type { Listed, Pause, Statements } from '../ports.js';

/** One tool of a server's list that can be told apart from all others of it. */
export interface ListedTool {
  readonly name: ToolName;
  readonly definition: Definition;
  /** The text to show: the upstream's own, unless it is too long to carry around. */
  readonly text: string;
  readonly digest: Digest;
  /** Why it needs a reviewer first; empty when nothing is wrong. */
  readonly flags: readonly DefinitionFlag[];
}

/** Something that keeps a list from being whole. */
export interface ListProblem {
  /** Without names, for everybody who lists tools. */
  readonly reason: string;
  /** Raw names, for those who administer the server. */
  readonly names: readonly string[];
}

export interface ToolList {
  readonly digest: string;
  readonly tools: readonly ListedTool[];
  readonly problems: readonly ListProblem[];
  /** What the host of native tools states about them. */
  readonly statements?: Statements;
}

interface Readable {
  readonly text: string;
  readonly definition: Definition;
}

const longestRawName = 512;

/**
 * Reads a host's list once. Names that two tools share, raw or public, are served by neither (N9). Lists may have 5,000
 * tools: `pause` lets other work of the process run now and then.
 */
export async function readToolList(
  server: string,
  listed: Listed,
  { pause, statements }: { readonly pause: Pause; readonly statements?: Statements | undefined },
): Promise<ToolList> {
  const readable = (await inSteps(listed.definitions, pause, readTool)).flat();
  const unreadable = listed.definitions.length - readable.length;
  const rawDuplicates = repeated(readable.map(({ definition }) => definition.name));
  const single = readable.filter(({ definition }) => !rawDuplicates.has(definition.name));
  const named = await inSteps(single, pause, (tool) => listedTool(server, tool));
  const collisions = repeated(named.map(({ name }) => name));
  const colliding = named.filter(({ name }) => collisions.has(name));
  const problems: ListProblem[] = [];
  if (listed.incomplete !== undefined) problems.push({ reason: listed.incomplete, names: [] });
  if (unreadable > 0) problems.push({ reason: `${unreadable} definitions are no tools`, names: [] });
  problems.push(...shared('stand more than once', [...new Set([...listed.duplicates, ...rawDuplicates])]));
  problems.push(
    ...shared(
      'share a public name',
      colliding.map(({ definition }) => definition.name),
    ),
  );
  const tools = named.filter(({ name }) => !collisions.has(name));
  return { digest: listed.list_digest, tools, problems, ...(statements === undefined ? {} : { statements }) };
}

async function inSteps<T, R>(items: readonly T[], pause: Pause, step: (item: T) => R): Promise<R[]> {
  const done: R[] = [];
  for (const item of items) {
    done.push(step(item));
    const due = pause();
    if (due !== undefined) await due;
  }
  return done;
}

function readTool(text: string): Readable[] {
  const read = readDefinition(text);
  if (read.kind === 'unreadable' || read.definition.name.length > longestRawName) return [];
  return [{ text, definition: read.definition }];
}

function listedTool(server: string, { text, definition }: Readable): ListedTool {
  const tooLong = Buffer.byteLength(text) > definitionBounds.bytes;
  return {
    name: publicName(server, definition.name),
    definition,
    text: tooLong ? JSON.stringify({ name: definition.name, inputSchema: { type: 'object' } }) : text,
    digest: definitionDigest(text),
    flags: definitionFlags(text),
  };
}

function shared(how: string, names: readonly string[]): ListProblem[] {
  return names.length === 0 ? [] : [{ reason: `${names.length} tools ${how}`, names }];
}

function repeated(names: readonly string[]): ReadonlySet<string> {
  const seen = new Set<string>();
  return new Set(names.filter((name) => seen.size === seen.add(name).size));
}
