import { describe, expect, it } from 'vitest';
import type { RawAnswer } from '../../cedar/cedar.js';
import { joined } from './joined-answers.js';

const decided = (decision: string, reasons: string[] = [], errors: string[] = []): RawAnswer => ({
  ...{ kind: 'decided', decision, reasons, errors },
});
const lost: RawAnswer = { kind: 'lost', cause: 'engine_timeout' };

describe('the answer of a whole set', () => {
  it.each<[string, RawAnswer, RawAnswer | undefined, RawAnswer | undefined]>([
    ['permits of both', decided('allow', ['a']), decided('allow', ['b']), decided('allow', ['a', 'b'])],
    ['a permit of one', decided('allow', ['a']), decided('deny'), decided('allow', ['a'])],
    ['no permit', decided('deny'), decided('deny'), decided('deny')],
    ['a forbid of one', decided('allow', ['a']), decided('deny', ['f']), decided('deny', ['f'])],
    ['forbids of both', decided('deny', ['f']), decided('deny', ['g']), decided('deny', ['f', 'g'])],
    [
      'errors of both',
      decided('allow', ['a'], ['x']),
      decided('deny', [], ['y']),
      decided('allow', ['a'], ['x', 'y']),
    ],
    ['a part that was lost', decided('allow', ['a']), lost, lost],
    ['a part that was not answered', decided('allow', ['a']), undefined, undefined],
    ['a decision that is none', decided('allow', ['a']), decided('maybe'), decided('maybe')],
  ])('follows from %s', (_what, one, two, whole) => {
    const parts = [one, two].map((answer) => (answer === undefined ? [] : [answer]));
    expect(joined(parts)).toEqual([whole]);
  });

  it('is that of the part where there is one, question by question', () => {
    expect(joined([[decided('allow', ['a']), lost]])).toEqual([decided('allow', ['a']), lost]);
    expect(joined([])).toEqual([]);
  });
});
