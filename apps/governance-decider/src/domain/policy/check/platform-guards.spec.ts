import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { platformGuards } from './platform-guards.js';

it('the guards that every set must have are those that ship', () => {
  const folder = join(import.meta.dirname, '../../../../../../deploy/policies/platform');
  const shipped = readdirSync(folder).map((name) => `p/${basename(name, '.cedar')}`);
  expect(platformGuards.toSorted()).toEqual(shipped.toSorted());
});
