import { describe, expect, it } from 'vitest';
import { always, caller, judgeOver, tool, yes } from '../decide.fixture.js';

describe('a list', () => {
  it('asks once about tools that no policy can tell apart', async () => {
    const { judge, asked } = judgeOver(always(yes));
    const tools = Array.from({ length: 500 }, (_, index) => ({ ...tool, raw_name: `t${index}` }));
    const sights = await judge.sights(caller, [...tools, { ...tool, risk: 1 }]);
    expect(sights).toHaveLength(501);
    expect(asked.flatMap(({ questions }) => questions)).toHaveLength(4);
  });

  it('is a fault, not empty, when the engine gives no answer', async () => {
    const { judge } = judgeOver(always({ kind: 'lost', cause: 'engine_unavailable' }));
    await expect(judge.sights(caller, [tool])).rejects.toThrow('engine_unavailable');
  });

  it('says maybe where the time counts', async () => {
    const timeless = judgeOver(always(yes));
    expect(await timeless.judge.sights(caller, [tool])).toEqual([{ kind: 'visible', approval: 'never' }]);
    const timed = judgeOver(always(yes), 'env.now');
    expect(await timed.judge.sights(caller, [tool])).toEqual([{ kind: 'visible', approval: 'maybe' }]);
  });
});
