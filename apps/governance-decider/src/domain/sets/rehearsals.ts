import { rehearseCases } from '../cases/rehearse-cases.js';
import { SoundPolicies, checkCandidate } from '../policy/check/candidate.js';
import type { Installable, Laboratory, Stage, Tried } from '../policy/laboratory.js';
import type { PolicyProblem } from '../policy/lint/problem.js';
import type { ToolSchemas } from '../policy/lint/tool-schema.js';
import type { PolicySet, PolicyTexts } from '../policy/policy-set.js';
import { slicesOf } from '../policy/slices.js';
import type { Directory } from '../question/directory.js';
import { warmUpQuestions } from '../question/warm-up.js';
import { anyTenant, type WantedSet } from './wanted.js';

/** `case`: the case that does not hold. */
export type SetProblem = PolicyProblem & { readonly case?: string };

export type Rehearsed =
  | {
      readonly kind: 'passed';
      readonly set: PolicySet;
      readonly texts: PolicyTexts;
      readonly warnings: readonly SetProblem[];
    }
  | {
      readonly kind: 'refused';
      readonly problems: readonly SetProblem[];
      readonly warnings: readonly SetProblem[];
    };

export interface RehearsalParts {
  readonly stage: Pick<Stage, 'rehearse'>;
  readonly directory: Directory;
  /** Absent: policies are not compared with the live catalog. */
  readonly schemas?: ToolSchemas;
}

export interface RehearsalOptions {
  /** Whether the sets are to stay in the spare instance, because they are to be published next. */
  readonly keep: boolean;
  /** Tenants whose sets are not compared with the live catalog: a change of it must not leave them without any. */
  readonly unlinted?: ReadonlySet<string>;
}

const maxKnownPlatforms = 16;

/** Everything that has to hold of a set before it may decide, tried where it disturbs nobody (GOVERNANCE.md 6). */
export class Rehearsals {
  readonly #sound = new SoundPolicies();
  /** Platforms that passed, by fingerprint: every tenant's set stands on one, and its cases are many. */
  readonly #platforms = new Map<string, Rehearsed>();

  constructor(private readonly parts: RehearsalParts) {}

  /** One result per wanted set, by tenant. A platform that does not pass is refused in every set that stands on it. */
  run(
    platform: WantedSet,
    wanted: readonly WantedSet[],
    options: RehearsalOptions,
  ): Promise<Tried<ReadonlyMap<string, Rehearsed>>> {
    return this.parts.stage.rehearse(async (laboratory) => {
      const below = await this.#platform(platform, laboratory);
      const results = new Map<string, Rehearsed>();
      for (const one of wanted)
        results.set(one.tenant, await this.#try(one, below, { laboratory, ...options }));
      if (!options.keep) for (const found of results.values()) await forget(found, laboratory);
      return results;
    });
  }

  #try(
    wanted: WantedSet,
    below: Rehearsed,
    on: { readonly laboratory: Laboratory; readonly unlinted?: ReadonlySet<string> },
  ): Promise<Rehearsed> | Rehearsed {
    if (wanted.tenant === anyTenant || below.kind === 'refused') return below;
    const isLinted = on.unlinted?.has(wanted.tenant) !== true;
    return this.#rehearse(wanted, on.laboratory, isLinted ? this.parts.schemas : undefined);
  }

  async #platform(wanted: WantedSet, laboratory: Laboratory): Promise<Rehearsed> {
    const known = this.#platforms.get(wanted.fingerprint);
    if (known !== undefined) return known;
    const found = await this.#rehearse(wanted, laboratory, this.parts.schemas);
    if (found.kind === 'refused') return found;
    if (this.#platforms.size >= maxKnownPlatforms) this.#platforms.clear();
    this.#platforms.set(wanted.fingerprint, found);
    return found;
  }

  async #rehearse(
    wanted: WantedSet,
    laboratory: Laboratory,
    schemas: ToolSchemas | undefined,
  ): Promise<Rehearsed> {
    const { problems } = wanted;
    if (problems.length > 0) return { kind: 'refused', problems, warnings: [] };
    const { directory } = this.parts;
    const sound = this.#sound;
    const tools = schemas?.of(wanted.tenant);
    const candidate = await checkCandidate(wanted.texts, laboratory, { sound, schemas: tools });
    if (candidate.kind === 'unsound') return { ...candidate, kind: 'refused' };
    const { set, warnings } = candidate;
    const installed = await laboratory.install(installable(set, wanted, directory));
    if (installed.kind === 'failed') return refused(installed.message);
    const failures = await failedCases(wanted, { laboratory, sound });
    if (failures.length > 0) return { kind: 'refused', problems: failures, warnings };
    return { kind: 'passed', set, texts: wanted.texts, warnings };
  }
}

/** A set as an instance of the engine takes it. */
export function installable(set: PolicySet, { texts }: WantedSet, directory: Directory): Installable {
  const warmUp = warmUpQuestions(set, directory);
  return { ...texts, version: set.version, warmUp, slices: slicesOf(set) };
}

function refused(message: string): Rehearsed {
  return { kind: 'refused', problems: [{ message, severity: 'error' }], warnings: [] };
}

async function failedCases(
  wanted: WantedSet,
  on: { readonly laboratory: Laboratory; readonly sound: SoundPolicies },
): Promise<readonly SetProblem[]> {
  const problems: SetProblem[] = [];
  for (const { file, cases } of wanted.cases)
    for (const failure of await rehearseCases(cases, wanted.texts, on)) {
      const place = failure.line === undefined ? file : `${file}:${failure.line}`;
      const message = `${place}, ${failure.case}: ${failure.differences.join(', ')}`;
      problems.push({ case: failure.case, message, severity: 'error' });
    }
  return problems;
}

async function forget(found: Rehearsed, laboratory: Laboratory): Promise<void> {
  if (found.kind === 'passed') await laboratory.remove(found.set.version);
}
