import { setFlagsFromString } from 'node:v8';
import { describe, expect, it } from 'vitest';
import { withSharedShapes } from './shared-shapes.mjs';

setFlagsFromString('--allow-natives-syntax');

const pieces = `
const a = (n) => ({ x: n, y: 2 });
export const made = [
  { ...a(1), z: 3 },
  { ...a(2), ...{ y: 3 }, 'z': { ...a(4), w: [5, { ...a(6), v: 7 }] } },
  { ...a(8) },
  { z: 9, ...a(9) },
  { ...JSON.parse('{"__proto__":1}'), z: 10 },
  { ...undefined, z: 11 },
  { ...a(12), __proto__: null, z: 12 },
];
export const f = ({ x, ...rest }) => ({ ...rest, x: \`\${x}\` });
`;

async function moduleOf(code: string): Promise<Record<string, unknown>> {
  return import(`data:text/javascript,${encodeURIComponent(code)}`);
}

describe('an object literal that begins with a spread', () => {
  it('makes the object that it made before', async () => {
    const [before, after] = await Promise.all([moduleOf(pieces), moduleOf(withSharedShapes(pieces))]);
    expect(after['made']).toStrictEqual(before['made']);
    for (const [n, one] of Object.entries(after['made'] as object[]))
      expect(Object.getPrototypeOf(one)).toBe(n === '6' ? null : Object.prototype);
    const [first, second] = [before, after].map((made) =>
      (made['f'] as (of: object) => object)({ x: 1, y: 2 }),
    );
    expect([second, Object.keys(second ?? {})]).toStrictEqual([first, ['y', 'x']]);
  });

  it('is left as it is where nothing follows, or where it says its prototype', () => {
    for (const code of ['({ ...a });', '({ b, ...a });', '({ ...a, __proto__: null });', "f('{ ...a, b }');"])
      expect(withSharedShapes(code)).toBe(code);
    expect(withSharedShapes('({\n  ...a, b });')).toBe('({\n  __proto__: Object.prototype, ...a, b });');
  });

  it('gives the objects that it makes one hidden class', () => {
    const made = (code: string): unknown =>
      new Function(`${code}; const twice = [1, 2].map(of); return %HaveSameMap(twice[0], twice[1]);`)();
    expect(made(withSharedShapes('const of = (n) => ({ ...{ x: n, y: 1 }, z: 2 })'))).toBe(true);
  });
});
