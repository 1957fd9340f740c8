import { readFile, readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { PolicyProblem } from '../../domain/policy/lint/problem.js';

const maxFileBytes = 1024 * 1024;
const maxFiles = 20_000;

/** What of an entry of a folder matters here. */
export interface Entry {
  readonly name: string;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

/** The policies of one folder. */
export interface TierRead {
  /** By id, `<tier>/<file name>`; only those that could be read. */
  readonly texts: Readonly<Record<string, string>>;
  /** Of what may be a policy and is not among them. */
  readonly problems: readonly PolicyProblem[];
  /** Names of folders in it, which nobody looks into. */
  readonly folders: readonly string[];
}

/** Never throws for what stands in the folder. */
export async function readTier(folder: string, tier: 'p' | 't'): Promise<TierRead> {
  const listed = await listOf(folder);
  if (listed.kind === 'unreadable')
    return { texts: {}, problems: [problem(undefined, listed.why)], folders: [] };
  const found = listed.entries.map((entry) => ({ entry, why: whyNoPolicy(entry) }));
  const misnamed = found.flatMap(({ why }) => (why === undefined ? [] : [problem(undefined, why)]));
  const policies = found.filter(({ entry, why }) => why === undefined && entry.name.endsWith('.cedar'));
  const read = await Promise.all(policies.map(({ entry: { name } }) => textOf(folder, name, tier)));
  return {
    texts: Object.fromEntries(read.flatMap((one) => (one.kind === 'read' ? [[one.id, one.text]] : []))),
    problems: [...misnamed, ...read.flatMap((one) => (one.kind === 'broken' ? [one.problem] : []))],
    folders: found.flatMap(({ entry, why }) =>
      why === undefined && entry.isDirectory() ? [entry.name] : [],
    ),
  };
}

/** Policies of one folder by id; throws where one of them cannot be read. */
export async function readPolicies(
  folder: string,
  tier: 'p' | 't',
): Promise<Readonly<Record<string, string>>> {
  const { texts, problems } = await readTier(folder, tier);
  const [first] = problems;
  if (first !== undefined) throw new Error(`${basename(folder)}: ${first.message}`);
  return texts;
}

/** Not hidden ones, by name. Throws where there is no such folder, or too much in it. */
export async function entriesOf(folder: string): Promise<readonly Entry[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  if (entries.length > maxFiles) throw new Error(`more than ${maxFiles} files in ${basename(folder)}`);
  return entries
    .filter(({ name }) => !name.startsWith('.'))
    .toSorted((left, right) => (left.name < right.name ? -1 : 1));
}

/** A pipe or a device would be read for ever, and what is no UTF-8 would be read as another text. */
export async function readText(path: string): Promise<string> {
  const found = await stat(path);
  if (!found.isFile()) throw new Error(`${basename(path)} is no regular file: put a file in its place`);
  if (found.size > maxFileBytes)
    throw new Error(`${basename(path)} is larger than ${maxFileBytes} bytes: split it, one rule per file`);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await readFile(path));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new Error(`${basename(path)} is no UTF-8 text: save it as UTF-8`, { cause: error });
  }
}

/** Reads as one, and is none: a forbid would be silently missing. */
function whyNoPolicy(entry: Entry): string | undefined {
  const { name } = entry;
  if (!/\.cedar$/i.test(name)) return undefined;
  if (entry.isDirectory())
    return `${name} is a folder: a policy is a file, so move its files up or rename it`;
  if (name.endsWith('.cedar')) return undefined;
  return `${name} is not read, because names of policies end in .cedar: rename it to ${name.slice(0, -6)}.cedar`;
}

async function textOf(folder: string, name: string, tier: 'p' | 't') {
  const id = `${tier}/${basename(name, '.cedar')}`;
  try {
    return { kind: 'read' as const, id, text: await readText(join(folder, name)) };
  } catch (error) {
    return { kind: 'broken' as const, problem: problem(id, whyUnread(name, error)) };
  }
}

async function listOf(folder: string) {
  try {
    return { kind: 'listed' as const, entries: await entriesOf(folder) };
  } catch (error) {
    return { kind: 'unreadable' as const, why: whyUnread(basename(folder), error) };
  }
}

/** What the system says names paths of the machine, which are no tenant's business. */
function whyUnread(name: string, error: unknown): string {
  if (!(error instanceof Error)) return `${name} cannot be read`;
  return 'code' in error && 'syscall' in error
    ? `${name} cannot be read (${String(error.code)})`
    : error.message;
}

function problem(policy: string | undefined, message: string): PolicyProblem {
  return { ...(policy === undefined ? {} : { policy }), message, severity: 'error' };
}
