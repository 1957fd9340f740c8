import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { TenantId } from '@uar/contracts';
import type { PolicyProblem } from '../domain/policy/lint/problem.js';
import type { BrokenCases, NamedCases, PolicyFolder, PolicySource, SourceRead } from '../domain/policy/source.js';
import { parseCases } from './case-files.js';
import { inTime } from './policies/in-time.js';
import { entriesOf, readPolicies, readText, readTier, type Entry } from './policies/policy-texts.js';

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
    return { schema, platform, ...tenants, ...(await readCases(join(this.folder, 'cases'), cases)) };
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
    const place = placeOf(entry);
    switch (place.kind) {
      case 'stray':
        strays.push(place.why);
        break;
      case 'nothing':
        break;
      case 'link':
        unreadable.set(place.tenant, [{ message: linked(entry.name), severity: 'error' }]);
        break;
      case 'tenant': {
        const { texts, problems, folders } = await readTier(join(root, entry.name), 't');
        if (problems.length === 0) tenants.set(place.tenant, texts);
        else unreadable.set(place.tenant, problems.map((one) => within(entry.name, one)));
        strays.push(...folders.map((name) => unseen(entry.name, name)));
      }
    }
  }
  return { tenants, unreadable, strays: strays.toSorted((left, right) => rank(left) - rank(right)) };
}
