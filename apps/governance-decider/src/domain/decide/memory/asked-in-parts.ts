import type { CedarQuestion, Engine, RawAnswer } from '../../cedar/cedar.js';
import type { PolicySet } from '../../policy/policy-set.js';
import { partsOf } from '../../policy/slices.js';
import { narrowed } from '../../question/narrowed.js';
import { joined } from './joined-answers.js';

/** Asks each question by the parts of its action, so that the engine may remember what is steady of it. One answer each, in order. */
export async function askInParts(
  engine: Engine,
  set: PolicySet,
  questions: readonly CedarQuestion[],
): Promise<readonly (RawAnswer | undefined)[]> {
  const asked = questions.map((question) => inParts(question, set));
  const answers = await engine.ask({ set: set.version, questions: asked.flat(), stopAtRefusal: false });
  let from = 0;
  return asked.map((parts) => {
    from += parts.length;
    return joined(answers.slice(from - parts.length, from).map((answer) => [answer]))[0];
  });
}

function inParts(question: CedarQuestion, set: PolicySet): readonly CedarQuestion[] {
  const slices = partsOf(set, question.action);
  return slices.length === 0 ? [question] : slices.map((slice) => narrowed(question, slice));
}
