import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { requirements } from './requirements.js';

const folder = new URL('./', import.meta.url);

function citedIds(): Set<string> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.spec.ts'),
  );
  const lists = files.flatMap((file) => [
    ...readFileSync(new URL(file, folder), 'utf8').matchAll(/keeps\(\s*\[([^\]]*)\]/g),
  ]);
  return new Set(
    lists.flatMap((match) => [...(match[1] ?? '').matchAll(/'([^']+)'/g)].map((id) => id[1] ?? '')),
  );
}

it('has a test for every requirement', () => {
  const cited = citedIds();
  expect(Object.keys(requirements).filter((id) => !cited.has(id))).toEqual([]);
});
