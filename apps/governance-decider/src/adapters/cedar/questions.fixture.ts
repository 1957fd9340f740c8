import { cp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { CedarQuestion } from '../../domain/cedar/cedar.js';
import { warmUpQuestions } from '../../domain/question/warm-up.js';
import { policySet } from '../../domain/policy/policy-set.js';
import { Fixtures } from '../../domain/cases/fixtures.js';
import { CaseFile } from '../../domain/cases/case-file.js';

/** The folder that ships with the product. */
export const shippedFolder = join(import.meta.dirname, '../../../../../deploy/policies');

/** What ships, but for the rows of its cases: every load asks those, and they have specs of their own. */
export async function copyShipped(folder: string): Promise<void> {
  await cp(shippedFolder, folder, { recursive: true });
  await rm(join(folder, 'cases'), { recursive: true });
  await mkdir(join(folder, 'cases'));
}

const file = CaseFile.parse({
  set: 'platform',
  cases: [{ case: 'none', question: { ask: 'list', principal: 'nobody' } }],
});

/** A question that any set with the shipped schema takes. */
export function someQuestion(): CedarQuestion {
  const [, question] = warmUpQuestions(
    policySet('none', new Map()),
    new Fixtures(file, { ask: 'list', principal: '' }).directory(),
  );
  if (question === undefined) throw new Error('no question');
  return question;
}

/** Every binding of the engine throws on it, and leaks some of its stack. */
export function throwingQuestion(): CedarQuestion {
  const question = someQuestion();
  return { ...question, principal: { ...question.principal, id: '\ud800' } };
}

/** Takes many seconds to read. */
export function slowQuestion(): CedarQuestion {
  const wide = Array.from({ length: 200_000 }, () => [[0]]);
  const question = someQuestion();
  return { ...question, context: { ...question.context, facts: wide } };
}
