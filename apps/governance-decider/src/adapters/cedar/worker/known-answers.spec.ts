import { describe, expect, it } from 'vitest';
import type { RawAnswer } from '../../../domain/cedar/cedar.js';
import { someQuestion } from '../questions.fixture.js';
import { KnownAnswers } from './known-answers.mjs';

const yes: RawAnswer = { kind: 'decided', decision: 'allow', reasons: ['t/all'], errors: [] };

function countedAnswers(answer: RawAnswer) {
  const known = new KnownAnswers();
  let asked = 0;
  const ask = () => {
    asked += 1;
    return answer;
  };
  const about = (id: string) => known.find({ ...someQuestion(), principal: { type: 'UAR::User', id } }, ask);
  return { about, asked: () => asked };
}

describe('known answers', () => {
  it('are what was said to the same question, asked once', () => {
    const { about, asked } = countedAnswers(yes);
    expect(['a', 'b', 'a', 'b'].map(about)).toEqual(Array(4).fill(yes));
    expect(asked()).toBe(2);
  });

  it.each<RawAnswer>([
    { kind: 'invalid', message: 'x' },
    { kind: 'threw', message: 'x' },
    { kind: 'lost', cause: 'engine_unavailable' },
  ])('are none where there was no decision: $kind', (answer) => {
    const { about, asked } = countedAnswers(answer);
    expect(['a', 'a'].map(about)).toEqual([answer, answer]);
    expect(asked()).toBe(2);
  });

  it('are none of questions too long to be kept', () => {
    const { about, asked } = countedAnswers(yes);
    const long = 'a'.repeat(8_192);
    expect([long, long].map(about)).toEqual([yes, yes]);
    expect(asked()).toBe(2);
  });

  it('are at most 500, those asked least lately forgotten first', () => {
    const { about, asked } = countedAnswers(yes);
    for (let n = 0; n < 500; n += 1) about(`user ${n}`);
    about('user 0');
    about('one more');
    expect(asked()).toBe(501);
    about('user 0');
    expect(asked()).toBe(501);
    about('user 1');
    expect(asked()).toBe(502);
  });
});
