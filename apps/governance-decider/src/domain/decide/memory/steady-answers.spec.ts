import { describe, expect, it } from 'vitest';
import type { CedarQuestion, QuestionBatch, RawAnswer } from '../../cedar/cedar.js';
import { PolicyJson } from '../../policy/policy-json.js';
import { policySet } from '../../policy/policy-set.js';
import { SteadyAnswers } from './steady-answers.js';

const argument = { '.': { left: { Var: 'context' }, attr: 'args' } };
const attribute = { '.': { left: { Var: 'resource' }, attr: 'pinned' } };

function policy(body: object): PolicyJson {
  return PolicyJson.parse({
    ...{ effect: 'permit', principal: { op: 'All' }, resource: { op: 'All' } },
    action: { op: '==', entity: { type: 'UAR::Action', id: 'callTool' } },
    conditions: [{ kind: 'when', body }],
  });
}

const set = policySet(
  'v1',
  new Map([
    ['t/steady', policy(attribute)],
    ['t/momentary', policy(argument)],
  ]),
);
const question: CedarQuestion = {
  ...{ action: 'callTool', context: {}, entities: [] },
  ...{ principal: { type: 'UAR::User', id: 'a/b' }, resource: { type: 'UAR::Tool', id: 'a/b/c' } },
};
const callTool = [{ action: 'callTool' as const, questions: () => [question] }];

/** Over an engine that says by which part it was asked. */
function answersOver(answer: (part: string) => RawAnswer) {
  const parts: (string | undefined)[][] = [];
  const ask = ({ questions }: QuestionBatch) => {
    parts.push(questions.map(({ part }) => part));
    return Promise.resolve(questions.map(({ part = 'whole' }) => answer(part)));
  };
  return { answers: new SteadyAnswers({ ask }, 10), parts };
}

const permitted = (part: string): RawAnswer => ({
  ...{ kind: 'decided', decision: 'allow', reasons: [`t/${part}`], errors: [] },
});

describe('what a caller may do with a tool', () => {
  it('is asked whole at first, and then only by the policies that read the call', async () => {
    const { answers, parts } = answersOver(permitted);
    const whole = { ...permitted('steady'), reasons: ['t/steady', 't/momentary'] };
    for (let call = 0; call < 3; call += 1)
      expect((await answers.ask('ada', set, callTool)).get('callTool')).toEqual([whole]);
    expect(parts).toEqual([['steady', 'momentary'], ['momentary'], ['momentary']]);
  });

  it('is asked anew under another key', async () => {
    const { answers, parts } = answersOver(permitted);
    for (const key of ['ada', 'bob', 'ada']) await answers.ask(key, set, callTool);
    expect(parts).toEqual([['steady', 'momentary'], ['steady', 'momentary'], ['momentary']]);
  });

  it('is not kept where the engine had no answer', async () => {
    const { answers, parts } = answersOver(() => ({ kind: 'lost', cause: 'engine_timeout' }));
    for (let call = 0; call < 2; call += 1)
      expect((await answers.ask('ada', set, callTool)).get('callTool')).toMatchObject([{ kind: 'lost' }]);
    expect(parts).toEqual([
      ['steady', 'momentary'],
      ['steady', 'momentary'],
    ]);
  });

  it('is not asked at all where no policy reads the call and it is known', async () => {
    const still = policySet('v2', new Map([['t/steady', policy(attribute)]]));
    const { answers, parts } = answersOver(permitted);
    for (let call = 0; call < 2; call += 1) await answers.ask('ada', still, callTool);
    expect(parts).toEqual([[undefined]]);
  });
});
