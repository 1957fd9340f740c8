import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Case, CaseFile } from '../../domain/cases/case-file.js';
import { differences, runCase } from '../../domain/cases/run-case.js';
import type { Laboratory } from '../../domain/policy/laboratory.js';
import { PolicyJson } from '../../domain/policy/policy-json.js';
import { slicesOf } from '../../domain/policy/slices.js';
import { policySet, versionOf, type PolicySet } from '../../domain/policy/policy-set.js';
import { PolicyFiles } from '../policies/policy-folder.js';
import { CedarEngine, compileCedar } from './engine.js';
import { mutantsOf } from './mutants.fixture.js';
import { shippedFolder } from './questions.fixture.js';

const read = await new PolicyFiles(shippedFolder).read();
if (read.kind === 'unreadable') throw new Error(read.problem);
const { schema, platform, cases } = read.source;
const file = platformCases();

function platformCases(): CaseFile {
  const found = cases.map((named) => named.cases).find(({ set }) => set === 'platform');
  if (found === undefined) throw new Error('no cases of the platform');
  return found;
}

let engine: CedarEngine;
beforeAll(async () => {
  engine = await CedarEngine.start(await compileCedar());
});
afterAll(() => engine.stop());

/** A set as it stands, without the checks that a mutant fails for other reasons. */
async function prepare(policies: Record<string, string>, laboratory: Laboratory): Promise<PolicySet> {
  const texts = { schema, policies };
  const inspected = await laboratory.inspect(texts);
  if (inspected.kind === 'failed') throw new Error(inspected.message);
  const parsed = Object.entries(inspected.value.policies).map(([id, found]): [string, PolicyJson] => {
    if (!('json' in found)) throw new Error(`${id}: ${found.broken.message}`);
    return [id, PolicyJson.parse(found.json)];
  });
  const version = versionOf(texts);
  const set = policySet(version, new Map(parsed));
  const installed = await laboratory.install({ ...texts, version, warmUp: [], slices: slicesOf(set) });
  if (installed.kind === 'failed') throw new Error(installed.message);
  return set;
}

/** The first case that fails, those about the policy first. */
async function killer(id: string, set: PolicySet, laboratory: Laboratory): Promise<string | undefined> {
  const isAbout = (row: Case) => row.policies?.includes(id) ?? false;
  const rows = file.cases.toSorted((left, right) => Number(isAbout(right)) - Number(isAbout(left)));
  for (const row of rows) {
    const found = await runCase(file, row.question, { set, engine: laboratory.engine });
    if (differences(row, found).length > 0) return row.case;
  }
  return undefined;
}

/** What could be left out of a policy unnoticed. */
async function survivors(id: string, text: string): Promise<readonly string[]> {
  const tried = await engine.rehearse(async (laboratory) => {
    const alive: string[] = [];
    for (const mutant of mutantsOf(text)) {
      const others = Object.entries({ ...platform, ...file.policies }).filter(([other]) => other !== id);
      const mutated: [string, string][] = mutant.text === undefined ? [] : [[id, mutant.text]];
      const set = await prepare(Object.fromEntries([...others, ...mutated]), laboratory);
      if ((await killer(id, set, laboratory)) === undefined) alive.push(mutant.what);
    }
    return alive;
  });
  if (tried.kind === 'failed') throw new Error(tried.message);
  return tried.value;
}

describe('no policy of the platform can say less without a case that notices', () => {
  it.each(Object.entries(platform))('%s', { timeout: 120_000 }, async (id, text) => {
    expect(await survivors(id, text)).toEqual([]);
  });

  it('finds what could be left out', { timeout: 120_000 }, async () => {
    const idle = 'resource.tenant.killSwitch && resource.tenant.killSwitch != false';
    const text = (platform['p/kill-switch'] ?? '').replace('resource.tenant.killSwitch', idle);
    expect(await survivors('p/kill-switch', text)).toEqual([
      'without resource.tenant.killSwitch',
      'without resource.tenant.killSwitch != false',
    ]);
  });
});

describe('the mutants', () => {
  it('lack one operand each, inside of parentheses too', () => {
    const text = 'forbid (principal, action, resource) when { a.contains(b && c) && (x != y || z) };';
    expect(mutantsOf(text).map(({ what }) => what)).toEqual([
      'deleted',
      'condition stripped',
      'without a.contains(b && c)',
      'without (x != y || z)',
      'without x != y',
      'without z',
    ]);
  });
});
