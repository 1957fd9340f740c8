import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CallQuestion } from '@uar/contracts';
import { CedarEngine, compileCedar } from '../adapters/cedar/engine.js';
import { CedarJudge } from '../domain/decide/cedar-judge.js';
import type { CallVerdict } from '../domain/decide/verdict.js';
import type { Laboratory } from '../domain/policy/laboratory.js';
import { callQuestion, directory, now } from './calls.fixture.js';
import { installPolicies } from './installed.fixture.js';
import { policyText, policyTexts } from './policies/policies.fixture.js';
import { proofRuns } from './runs.fixture.js';

type Texts = Readonly<Record<string, string>>;

const callsPerSet = 20;
const mostRounds = 6;
const { seed, cases, timeoutMs } = proofRuns({ cases: 200 });
/** Half of the sets let everything run but for what else they say, so that there is something to lose. */
const open = { 't/open': 'permit (principal, action, resource);' };
const sets = fc.oneof(
  policyTexts,
  policyTexts.map((texts) => ({ ...open, ...texts })),
  fc.constant<Texts>(open),
);
const calls = fc.array(callQuestion, { minLength: callsPerSet, maxLength: callsPerSet });
/** It fails on every question, or on one of the three that a call is made of. */
const erringText = fc
  .record({
    effect: fc.constantFrom('permit', 'forbid'),
    action: fc.constantFrom(
      '',
      ...['discoverTool', 'callTool', 'callToolUnattended'].map((id) => ` == UAR::Action::"${id}"`),
    ),
  })
  .map(
    ({ effect, action }) =>
      `${effect} (principal, action${action}, resource) when { 9223372036854775807 + 1 > 0 };`,
  );

let engine: CedarEngine;
beforeAll(async () => {
  engine = await CedarEngine.start(await compileCedar());
});
afterAll(() => engine.stop());

let versions = 0;

/** What the judge says of every call under these policies; nothing is remembered between two sets. */
async function verdicts(
  laboratory: Laboratory,
  texts: Texts,
  questions: readonly CallQuestion[],
): Promise<readonly CallVerdict[]> {
  versions += 1;
  const version = `set ${versions}`;
  const { set } = await installPolicies(laboratory, texts, { version, isSliced: true });
  const judge = new CedarJudge({
    ...{ sets: { of: () => set }, engine: laboratory.engine, directory },
    ...{ profile: 'server-full', now: () => now, remembered: 0 },
  });
  const judged = await Promise.all(questions.map((question) => judge.judgeCall(question)));
  await laboratory.remove(version);
  return judged.map(({ verdict }) => verdict);
}

const ranks: Readonly<Record<CallVerdict['kind'], number>> = { deny: 0, require_approval: 1, allow: 2 };

interface Change {
  readonly before: Texts;
  readonly after: Texts;
  readonly questions: readonly CallQuestion[];
}

interface Compared {
  readonly before: CallVerdict | undefined;
  readonly after: CallVerdict | undefined;
}

async function compare({ before, after, questions }: Change): Promise<readonly Compared[]> {
  const tried = await engine.rehearse(async (laboratory) => {
    const then = await verdicts(laboratory, before, questions);
    const later = await verdicts(laboratory, after, questions);
    return questions.map((_, index) => ({ before: then[index], after: later[index] }));
  });
  if (tried.kind === 'failed') throw new Error(tried.message);
  return tried.value;
}

/** Tries a law on random changes and prints how many calls were decided, and how many of them came out lower. */
async function hold(
  name: string,
  changes: fc.Arbitrary<Change>,
  law: (compared: Compared) => void,
): Promise<void> {
  let decided = 0;
  let lowered = 0;
  const property = fc.asyncProperty(changes, async (change) => {
    for (const compared of await compare(change)) {
      law(compared);
      decided += 1;
      lowered += Number(rankOf(compared.after) < rankOf(compared.before));
    }
  });
  const numRuns = Math.ceil(cases / callsPerSet);
  // Of few sets it happens that no change takes anything from anybody: that shows nothing.
  for (let round = 0; round < mostRounds && lowered === 0; round += 1)
    await fc.assert(property, { seed: seed + round, numRuns, endOnFailure: true });
  console.log(`${name}: ${decided} calls decided twice, ${lowered} lowered (seed ${seed})`);
  expect(lowered).toBeGreaterThan(0);
}

function rankOf(verdict: CallVerdict | undefined): number {
  if (verdict === undefined) throw new Error('no verdict');
  return ranks[verdict.kind];
}

function neverRaised({ before, after }: Compared): void {
  expect(rankOf(after), JSON.stringify({ before, after })).toBeLessThanOrEqual(rankOf(before));
}

/** The permit that erred may be the one that goes: what was denied for its error is then decided. */
function isError(verdict: CallVerdict | undefined): boolean {
  return verdict?.kind === 'deny' && verdict.cause === 'policy_error';
}

describe('over the real engine', { timeout: timeoutMs }, () => {
  it('another forbid never lets more happen', async () => {
    const forbid = policyText.map((text) => text.replace(/^permit/, 'forbid'));
    const changes = fc
      .record({ before: sets, forbid, questions: calls })
      .map(({ before, forbid: more, questions }) => ({
        ...{ before, questions },
        after: { ...before, 't/more': more },
      }));
    await hold('another forbid', changes, neverRaised);
  });

  it('a permit less never lets more happen, but for one that made every answer an error', async () => {
    const changes = fc
      .record({ before: sets, questions: calls, which: fc.nat() })
      .map(({ before, questions, which }) => {
        const permits = Object.entries(before)
          .filter(([, text]) => text.startsWith('permit'))
          .map(([id]) => id);
        const gone = permits[which % Math.max(1, permits.length)];
        const after = Object.fromEntries(Object.entries(before).filter(([id]) => id !== gone));
        return { before, after, questions };
      });
    await hold('a permit less', changes, (compared) => {
      if (!isError(compared.before)) neverRaised(compared);
    });
  });

  it('a policy that errs on any question of a call denies the call', async () => {
    const changes = fc
      .record({ before: sets, erring: erringText, questions: calls })
      .map(({ before, erring, questions }) => ({
        ...{ before, questions },
        after: { ...before, 't/erring': erring },
      }));
    await hold('an erring policy', changes, (compared) => expect(compared.after?.kind).toBe('deny'));
  });
});
