import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { TenantId } from '@uar/contracts';
import type { PolicyProblem } from '../../domain/policy/lint/problem.js';
import type {
  BrokenCases,
  NamedCases,
  PolicyFolder,
  PolicySource,
  SourceRead,
} from '../../domain/sets/source.js';
import { parseCases } from './case-files.js';
import { inTime } from '../../domain/in-time.js';
import { entriesOf, readPolicies, readText, readTier, type Entry, type TierRead } from './policy-texts.js';
import { straysBeside } from './strays.js';

type Tenants = Pick<PolicySource, 'tenants' | 'unreadable' | 'strays'>;
type Cases = Pick<PolicySource, 'cases' | 'brokenCases'>;

/** `schema.cedarschema`, `platform/`, `tenants/<tenant>/` and `cases/` below one folder. */
export class PolicyFiles implements PolicyFolder {
  /** Somebody gave up on a file system that still has not answered: nobody else is to hang there as well. */
  #hangs = false;

  constructor(
    private readonly folder: string,
    private readonly deadlineMs = 30_000,
  ) {}

  /** `loading`: only cases that guard the loading of a set. */
  async read(cases: 'loading' | 'every' = 'loading'): Promise<SourceRead> {
    try {
      return { kind: 'read', source: await this.#inTime(() => this.#read(cases)) };
    } catch (error) {
      return { kind: 'unreadable', problem: problemOf(error) };
    }
  }

  /** Changes whenever a file below the folder does: names, sizes, inodes and times of change. */
  async fingerprint(): Promise<string> {
    try {
      return (await this.#inTime(() => stateOf(this.folder))).join('\n');
    } catch (error) {
      return problemOf(error);
    }
  }

  async #read(cases: 'loading' | 'every'): Promise<PolicySource> {
    const schema = await readText(join(this.folder, 'schema.cedarschema'));
    const platform = await readPolicies(join(this.folder, 'platform'), 'p');
    const tenants = await readTenants(join(this.folder, 'tenants'));
    const strays = [...(await straysBeside(this.folder)), ...tenants.strays];
    return { schema, platform, ...tenants, strays, ...(await readCases(join(this.folder, 'cases'), cases)) };
  }

  async #inTime<T>(work: () => Promise<T>): Promise<T> {
    const silent = new Error(`the folder of policies did not answer within ${this.deadlineMs} ms`);
    if (this.#hangs) throw silent;
    const working = work();
    const found = await inTime(working, AbortSignal.timeout(this.deadlineMs));
    if (found.kind === 'done') return found.value;
    this.#hangs = true;
    const over = () => {
      this.#hangs = false;
    };
    void working.then(over, over);
    throw silent;
  }
}

/** What is wrong with one tenant's files is a matter of that tenant alone. */
async function readTenants(root: string): Promise<Tenants> {
  const tenants = new Map<string, Readonly<Record<string, string>>>();
  const unreadable = new Map<string, readonly PolicyProblem[]>();
  const strays: string[] = [];
  for (const entry of await entriesOf(root)) {
    const { name } = entry;
    const tenant = TenantId.safeParse(name);
    const stray = strayIn(entry, tenant.success);
    if (stray !== undefined) strays.push(stray);
    if (!tenant.success || !(entry.isDirectory() || entry.isSymbolicLink())) continue;
    const read = entry.isDirectory() ? await readTier(join(root, name), 't') : linked(name);
    if (read.problems.length === 0) tenants.set(tenant.data, read.texts);
    else unreadable.set(tenant.data, read.problems);
    strays.push(
      ...read.folders.map((one) => `tenants/${name}/${one} is a folder and not read: move its policies up`),
    );
  }
  return { tenants, unreadable, strays };
}

/** Where a link leads is seen by no watch. */
function linked(tenant: string): TierRead {
  const message = `tenants/${tenant} is a link and not followed: put the folder itself in its place`;
  return { texts: {}, problems: [{ message, severity: 'error' }], folders: [] };
}

function strayIn(entry: Entry, isTenant: boolean): string | undefined {
  const { name } = entry;
  if (/\.cedar$/i.test(name) && !entry.isDirectory())
    return `tenants/${name} belongs to no tenant and is not read: move it into the folder of one`;
  if (isTenant || !(entry.isDirectory() || entry.isSymbolicLink())) return undefined;
  return `tenants/${name} is no name of a tenant and not read: rename it, or take it away`;
}

async function readCases(folder: string, which: 'loading' | 'every'): Promise<Cases> {
  const entries = await entriesOf(folder).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  const files = entries.filter(({ name }) => name.endsWith('.yaml')).map(({ name }) => name);
  const read = await Promise.all(files.map((file) => casesIn(folder, file, which)));
  return {
    cases: read.flatMap((one) => (one.kind === 'read' ? [one.named] : [])),
    brokenCases: read.flatMap((one) => (one.kind === 'broken' ? [one.broken] : [])),
  };
}

type CasesIn =
  | { readonly kind: 'read'; readonly named: NamedCases }
  | { readonly kind: 'broken'; readonly broken: BrokenCases }
  | { readonly kind: 'left_aside' };

async function casesIn(folder: string, file: string, which: 'loading' | 'every'): Promise<CasesIn> {
  let set = 'platform';
  try {
    const text = await readText(join(folder, file));
    set = setLine.exec(text)?.[1] ?? set;
    if (which === 'loading' && isForTestsAlone(set)) return { kind: 'left_aside' };
    return { kind: 'read', named: { file, cases: parseCases(file, text) } };
  } catch (error) {
    const problem = problemOf(error);
    const place = problem.startsWith('cases/') ? '' : `cases/${file}: `;
    return { kind: 'broken', broken: { set, problem: `${place}${problem}` } };
  }
}

/** The set stands in a line of its own; parsing a whole file to learn it would cost every start 100 ms and more. */
const setLine = /^set: *['"]?([a-z0-9:_-]+)/m;

function isForTestsAlone(set: string): boolean {
  return set === 'starter' || set.startsWith('example-');
}

async function stateOf(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const states = entries.map(async (entry): Promise<readonly string[]> => {
    const path = join(folder, entry.name);
    const found = await stat(path).catch(() => undefined);
    // A link to nowhere: what stands beside it is looked at all the same.
    if (found === undefined) return [`${path} leads nowhere`];
    const { size, ino, ctimeMs, mtimeMs } = found;
    const own = `${path} ${size} ${ino} ${ctimeMs} ${mtimeMs}`;
    if (!entry.isDirectory()) return [own];
    // What one tenant forbids to look into hides no change of the others.
    return [own, ...(await stateOf(path).catch((error: unknown) => [`${path} ${problemOf(error)}`]))];
  });
  return (await Promise.all(states)).flat().toSorted();
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

function problemOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
