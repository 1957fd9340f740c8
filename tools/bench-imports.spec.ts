import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const bench = join(import.meta.dirname, '..', 'bench');

/** Relative imports of every benchmark, a built file as the source it is built from. */
const imports = readdirSync(bench)
  .filter((name) => name.endsWith('.mjs'))
  .flatMap((name) =>
    [...readFileSync(join(bench, name), 'utf8').matchAll(/from '(\.[^']+)'/g)].map(([, path = '']) => {
      const source = path.includes('/dist/') ? path.replace('/dist/', '/src/').replace(/\.js$/, '.ts') : path;
      return { name, source };
    }),
  );

describe('the benchmarks', () => {
  it('import what there is: nothing else loads them before the night', () => {
    expect(imports.length).toBeGreaterThan(10);
    expect(imports.filter(({ source }) => !existsSync(join(bench, source)))).toEqual([]);
  });
});
