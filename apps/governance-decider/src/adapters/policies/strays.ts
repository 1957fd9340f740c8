import { join } from 'node:path';
import { nearest } from '@uar/nearest';
import { entriesOf, type Entry } from './policy-texts.js';

const rooms: readonly string[] = ['platform', 'tenants', 'cases', 'examples'];

/** What lies beside the tenants' folders and is read by nobody, each with the way out. */
export async function straysBeside(folder: string): Promise<readonly string[]> {
  const [inRoot, inPlatform, inCases] = await Promise.all([
    entriesIfAny(folder),
    entriesIfAny(join(folder, 'platform')),
    entriesIfAny(join(folder, 'cases')),
  ]);
  return [
    ...inRoot.flatMap(strayInRoot),
    ...inPlatform
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `platform/${name} is a folder and not read: move its policies up`),
    ...inCases
      .filter(({ name }) => name.endsWith('.yml'))
      .map(({ name }) => `cases/${name} is not read: rename it to cases/${name.replace(/yml$/, 'yaml')}`),
  ];
}

function strayInRoot(entry: Entry): readonly string[] {
  const { name } = entry;
  if (/\.cedar$/i.test(name))
    return [`${name} belongs to no tenant and is not read: move it into tenants/<tenant>`];
  if (!entry.isDirectory() || rooms.includes(name) || name.startsWith('.')) return [];
  const meant = nearest(name, rooms);
  return meant === undefined ? [] : [`${name} is not read: did you mean ${meant}?`];
}

/** Whoever needs a folder says that it cannot be read. */
function entriesIfAny(folder: string): Promise<readonly Entry[]> {
  return entriesOf(folder).catch(() => []);
}
