import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CedarEngine, compileCedar } from '../adapters/cedar/engine.js';
import { shippedFolder } from '../adapters/cedar/questions.fixture.js';
import type { CedarQuestion, RawAnswer } from '../domain/cedar/cedar.js';
import { PolicyJson } from '../domain/policy/policy-json.js';
import { policySet } from '../domain/policy/policy-set.js';
import { slicesOf } from '../domain/policy/slices.js';
import { policyTexts } from './policies.fixture.js';
import { proofRuns } from './runs.fixture.js';
import { authorize, type ReferencePolicy } from './reference/authorize.fixture.js';
import { actionGroups, asking, entities } from './world.fixture.js';

const askingsPerSet = 12;
const worldsPerSet = 8;
const { seed, cases } = proofRuns({ cases: 20_000 });
const schema = await readFile(join(shippedFolder, 'schema.cedarschema'), 'utf8');

let engine: CedarEngine;
beforeAll(async () => {
  engine = await CedarEngine.start(await compileCedar());
});
afterAll(() => engine.stop());

interface Checked {
  readonly policies: ReadonlyMap<string, ReferencePolicy>;
  readonly answers: readonly RawAnswer[];
}

/** Installs the policies in the real engine, as live sets are or whole, and asks them. */
async function askCedar(
  version: string,
  texts: Record<string, string>,
  asked: { readonly questions: readonly CedarQuestion[]; readonly isSliced: boolean },
): Promise<Checked> {
  const tried = await engine.rehearse(async (laboratory) => {
    const inspected = await laboratory.inspect({ schema, policies: texts });
    if (inspected.kind === 'failed') throw new Error(inspected.message);
    const jsons = Object.entries(inspected.value.policies).map(([id, found]): [string, unknown] => {
      if (!('json' in found)) throw new Error(`${id}: ${JSON.stringify(found.broken)} in ${texts[id] ?? ''}`);
      return [id, found.json];
    });
    const set = policySet(version, new Map(jsons.map(([id, json]) => [id, PolicyJson.parse(json)])));
    const slices = asked.isSliced ? slicesOf(set) : [];
    const installed = await laboratory.install({ version, schema, policies: texts, warmUp: [], slices });
    if (installed.kind === 'failed') throw new Error(installed.message);
    const batch = { set: version, questions: asked.questions, stopAtRefusal: false };
    return {
      policies: new Map(jsons as [string, ReferencePolicy][]),
      answers: await laboratory.engine.ask(batch),
    };
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
  it('decides as our own evaluator of Cedar does, sliced and whole', { timeout: 240_000 }, async () => {
    const seen = { cases: 0, allow: 0, erring: 0, byPolicies: 0 };
    const set = fc.record({
      texts: policyTexts,
      askings: fc.array(asking, { minLength: askingsPerSet, maxLength: askingsPerSet }),
      worlds: fc.array(entities, { minLength: worldsPerSet, maxLength: worldsPerSet }),
      isSliced: fc.boolean(),
    });
    const property = fc.asyncProperty(set, async ({ texts, askings, worlds, isSliced }) => {
      const version = `proof ${seen.cases}`;
      const questions = askings.flatMap((one) => worlds.map((entities) => ({ ...one, entities })));
      const { policies, answers } = await askCedar(version, texts, { questions, isSliced });
      questions.forEach((one, index) => {
        const expected = authorize(policies, one, actionGroups);
        const about = `${one.action}, ${isSliced ? 'sliced' : 'whole'}, entities ${JSON.stringify(one.entities)}`;
        expect(sorted(answers[index]), about).toEqual(expected);
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
    expect(Math.min(seen.allow, seen.erring, seen.cases - seen.byPolicies)).toBeGreaterThan(cases / 20);
  });
});
