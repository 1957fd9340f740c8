import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CedarEngine, compileCedar } from '../adapters/cedar/engine.js';
import type { CedarQuestion, RawAnswer } from '../domain/cedar/cedar.js';
import { askInParts } from '../domain/decide/memory/asked-in-parts.js';
import { installPolicies } from './installed.fixture.js';
import { policyTexts } from './policies/policies.fixture.js';
import { proofRuns } from './runs.fixture.js';
import { authorize, type ReferencePolicy } from './reference/authorize.fixture.js';
import { entities } from './world/entities.fixture.js';
import { actionGroups, asking } from './world/questions.fixture.js';

const askingsPerSet = 12;
const worldsPerSet = 8;
const { seed, cases, timeoutMs } = proofRuns({ cases: 2_000 });

let engine: CedarEngine;
beforeAll(async () => {
  engine = await CedarEngine.start(await compileCedar());
});
afterAll(() => engine.stop());

interface Checked {
  readonly policies: ReadonlyMap<string, ReferencePolicy>;
  readonly rounds: readonly (readonly (RawAnswer | undefined)[])[];
}

type Way = 'whole' | 'sliced' | 'in parts';

async function askCedar(
  texts: Readonly<Record<string, string>>,
  as: { readonly version: string; readonly way: Way },
  questions: readonly CedarQuestion[],
): Promise<Checked> {
  const { version, way } = as;
  const tried = await engine.rehearse(async (laboratory) => {
    const isSliced = way !== 'whole';
    const { policies, set } = await installPolicies(laboratory, texts, { version, isSliced });
    const { engine: tested } = laboratory;
    const askAll = (): Promise<readonly (RawAnswer | undefined)[]> =>
      way === 'in parts'
        ? askInParts(tested, set, questions)
        : tested.ask({ set: version, questions, stopAtRefusal: false });
    // The second time from memory, where there is one.
    const rounds = [await askAll(), await askAll()];
    await laboratory.remove(version);
    return { policies, rounds };
  });
  if (tried.kind === 'failed') throw new Error(tried.message);
  return tried.value;
}

/** An answer of Cedar in the form of ours. */
function sorted(answer: RawAnswer | undefined): unknown {
  if (answer?.kind !== 'decided') return answer;
  const { decision, reasons, errors } = answer;
  return { decision, reasons: reasons.toSorted(), errors: errors.toSorted() };
}

describe('the engine', () => {
  it(
    'decides as our own evaluator of Cedar does, whole, sliced and in parts',
    { timeout: timeoutMs },
    async () => {
      const seen = { cases: 0, allow: 0, erring: 0, byPolicies: 0 };
      const set = fc.record({
        texts: policyTexts,
        askings: fc.array(asking, { minLength: askingsPerSet, maxLength: askingsPerSet }),
        worlds: fc.array(entities, { minLength: worldsPerSet, maxLength: worldsPerSet }),
        way: fc.constantFrom<Way>('whole', 'sliced', 'in parts'),
      });
      const property = fc.asyncProperty(set, async ({ texts, askings, worlds, way }) => {
        const version = `proof ${seen.cases}`;
        const questions = askings.flatMap((one) => worlds.map((entities) => ({ ...one, entities })));
        const { policies, rounds } = await askCedar(texts, { version, way }, questions);
        questions.forEach((one, index) => {
          const expected = authorize(policies, one, actionGroups);
          const about = `${one.action}, ${way}, entities ${JSON.stringify(one.entities)}`;
          for (const answers of rounds) expect(sorted(answers[index]), about).toEqual(expected);
          seen.cases += 1;
          seen.allow += Number(expected.decision === 'allow');
          seen.erring += Number(expected.errors.length > 0);
          seen.byPolicies += Number(expected.reasons.length > 0);
        });
      });
      const numRuns = Math.ceil(cases / askingsPerSet / worldsPerSet);
      await fc.assert(property, { seed, numRuns, endOnFailure: true });
      console.log(
        `differential: ${seen.cases.toLocaleString('en')} cases, 0 differences (${seen.allow} allowed, ${seen.byPolicies} decided by a policy, ${seen.erring} with an error, seed ${seed})`,
      );
      expect(seen.cases).toBeGreaterThanOrEqual(cases);
      expect(Math.min(seen.allow, seen.erring, seen.cases - seen.byPolicies)).toBeGreaterThan(cases / 100);
    },
  );
});
