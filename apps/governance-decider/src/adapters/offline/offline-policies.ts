import { join } from 'node:path';
import type { CaseFile } from '../../domain/cases/case-file.js';
import { rehearseCases, type CaseFailure } from '../../domain/cases/rehearse-cases.js';
import { SoundPolicies, checkCandidate } from '../../domain/policy/check/candidate.js';
import type { Tried } from '../../domain/policy/laboratory.js';
import { problemText, type PolicyProblem } from '../../domain/policy/lint/problem.js';
import type { PolicyTexts } from '../../domain/policy/policy-set.js';
import type { PolicySource } from '../../domain/sets/source.js';
import { CedarEngine, compileCedar } from '../cedar/engine.js';
import { PolicyFiles } from '../policies/policy-folder.js';
import { readPolicies } from '../policies/policy-texts.js';

/** A problem and the file it stands in, relative to the folder. */
export interface FileProblem extends PolicyProblem {
  readonly file: string;
}

export interface CheckedSet {
  /** `platform`, or the name of a tenant. */
  readonly set: string;
  readonly policies: number;
  readonly problems: readonly FileProblem[];
}

export interface TestedFile {
  /** Relative to the folder. */
  readonly file: string;
  readonly set: string;
  readonly rows: number;
  readonly failures: readonly CaseFailure[];
}

/** A folder of policies checked and tried where nothing runs, with the engine and the code that decide live. */
export class OfflinePolicies {
  readonly #sound = new SoundPolicies();

  private constructor(
    private readonly folder: string,
    private readonly source: PolicySource,
    private readonly engine: CedarEngine,
  ) {}

  static async open(
    folder: string,
  ): Promise<{ kind: 'open'; policies: OfflinePolicies } | { kind: 'unreadable'; problem: string }> {
    const read = await new PolicyFiles(folder).read('every');
    if (read.kind === 'unreadable') return read;
    const engine = await CedarEngine.start(await compileCedar());
    return { kind: 'open', policies: new OfflinePolicies(folder, read.source, engine) };
  }

  /** The platform's set and each tenant's: text guard, parse, validation, lints, guards; no cases. */
  async check(): Promise<readonly CheckedSet[]> {
    const tenants = [...this.source.tenants].map(([tenant, own]) => ({ set: tenant, own }));
    const checked: CheckedSet[] = [...this.#unread()];
    for (const { set, own } of [{ set: 'platform', own: {} }, ...tenants]) {
      const candidate = done(await this.engine.rehearse((on) => this.#candidate(own, on)));
      const { warnings } = candidate;
      const problems = candidate.kind === 'unsound' ? [...candidate.problems, ...warnings] : warnings;
      const placed = problems.map((problem) => ({ ...problem, file: fileOf(problem, set) }));
      const known = new Set(checked.flatMap((before) => before.problems).map(keyOf));
      checked.push({
        set,
        policies: Object.keys(own).length,
        problems: placed.filter((problem) => !known.has(keyOf(problem))),
      });
    }
    return checked;
  }

  /** What cannot be read of the folder, or is nobody's. */
  #unread(): readonly CheckedSet[] {
    const { unreadable, brokenCases, strays } = this.source;
    const tenants = [...unreadable].map(([set, problems]) => {
      const placed = problems.map((one) => ({
        ...one,
        file: one.policy === undefined ? join('tenants', set) : fileOf(one, set),
      }));
      return { set, policies: 0, problems: placed };
    });
    const cases = brokenCases.map(({ set, problem: message }) => ({
      ...{ set, policies: 0, problems: [{ message, severity: 'error', file: 'cases' } as const] },
    }));
    const left = strays.map((message) => ({ message, severity: 'warning', file: '.' }) as const);
    return [
      ...tenants,
      ...cases,
      ...(left.length === 0 ? [] : [{ set: 'folder', policies: 0, problems: left }]),
    ];
  }

  /** Every row of every case file, against the set that the file names. */
  async test(): Promise<readonly TestedFile[]> {
    const tested: TestedFile[] = this.#untried();
    for (const { file, cases } of this.source.cases) {
      const texts = this.#texts(await this.#ownOf(cases));
      const failures = done(
        await this.engine.rehearse((laboratory) =>
          rehearseCases(cases, texts, { laboratory, sound: this.#sound }),
        ),
      );
      tested.push({ file: join('cases', file), set: cases.set, rows: cases.cases.length, failures });
    }
    return tested;
  }

  /** Rows that nobody can read, or that have no set to be tried on, do not hold. */
  #untried(): TestedFile[] {
    const { unreadable, brokenCases } = this.source;
    const failed = (file: string, set: string, differences: readonly string[]): TestedFile => {
      return { file, set, rows: 0, failures: [{ case: 'the set itself', differences }] };
    };
    return [
      ...brokenCases.map(({ set, problem }) => failed('cases', set, [problem])),
      ...[...unreadable].map(([tenant, problems]) =>
        failed(join('tenants', tenant), `tenant:${tenant}`, problems.map(problemText)),
      ),
    ];
  }

  close(): Promise<void> {
    return this.engine.stop();
  }

  #candidate(own: Readonly<Record<string, string>>, on: Parameters<typeof checkCandidate>[1]) {
    return checkCandidate(this.#texts(own), on, { sound: this.#sound });
  }

  #texts(own: Readonly<Record<string, string>>): PolicyTexts {
    return { schema: this.source.schema, policies: { ...this.source.platform, ...own } };
  }

  /** The tenant's policies beside the platform's: see `set` of a case file. */
  async #ownOf({ set }: CaseFile): Promise<Readonly<Record<string, string>>> {
    if (set === 'platform') return {};
    if (set === 'starter') return this.source.tenants.get('default') ?? {};
    const [kind, name = ''] = set.split(/[-:](.*)/);
    if (kind === 'example') return readPolicies(join(this.folder, 'examples', name), 't');
    return this.source.tenants.get(name) ?? {};
  }
}

function done<T>(tried: Tried<T>): T {
  if (tried.kind === 'done') return tried.value;
  throw new Error(tried.message);
}

function fileOf({ policy, message }: PolicyProblem, set: string): string {
  if (policy === undefined) return message.startsWith('schema:') ? 'schema.cedarschema' : '.';
  const [tier = '', ...name] = policy.split('/');
  const folder = tier === 'p' ? 'platform' : join('tenants', set);
  return `${join(folder, ...name)}.cedar`;
}

function keyOf({ file, message, line, column }: FileProblem): string {
  return JSON.stringify([file, message, line, column]);
}
