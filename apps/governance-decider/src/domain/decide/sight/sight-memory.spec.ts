import { describe, expect, it } from 'vitest';
import { CallerView } from './sight-memory.js';

describe('looks at tools for one caller', () => {
  it('are done one after the other, and one that fails holds up nobody', async () => {
    const view = new CallerView();
    const done: string[] = [];
    const look = (name: string) => view.inTurn(() => Promise.resolve(done.push(name)));
    const failing = view.inTurn(() => Promise.reject(new Error('no answer')));
    await Promise.all([expect(failing).rejects.toThrow('no answer'), look('two'), look('three')]);
    expect(done).toEqual(['two', 'three']);
  });

  it('are a fault when their turn does not come in time, and are not begun later', async () => {
    const view = new CallerView(20);
    let end: () => void = () => undefined;
    const long = view.inTurn(() => new Promise<void>((resolve) => (end = resolve)));
    let isBegun = false;
    const late = view.inTurn(() => Promise.resolve((isBegun = true)));
    const causes = (await Promise.allSettled([long, late])).map((ended) =>
      ended.status === 'rejected' ? String(ended.reason) : '',
    );
    expect(causes).toEqual(Array(2).fill(expect.stringContaining('within 20 ms')));
    end();
    expect(await view.inTurn(() => Promise.resolve('seen'))).toBe('seen');
    expect(isBegun).toBe(false);
  });
});
