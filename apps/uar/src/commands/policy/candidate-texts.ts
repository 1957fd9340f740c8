import { readFileSync, readdirSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { CommandFailure, exit, type World } from '../../world.js';

const ending = '.cedar';

/** Policies by id: `t/<name>` for each `<name>.cedar` that is named or stands in a named folder. */
export function candidateTexts(world: World, paths: readonly string[]): Record<string, string> {
  const files = paths.flatMap((path) => filesAt(resolve(world.cwd, path)));
  const named = files.map((file): [string, string] => [`t/${basename(file, ending)}`, file]);
  const twice = named.find(([id], index) => named.findIndex(([other]) => other === id) !== index);
  if (twice !== undefined) throw new CommandFailure(exit.usage, `two files are the policy ${twice[0]}`);
  return Object.fromEntries(named.map(([id, file]) => [id, readFileSync(file, 'utf8')]));
}

function filesAt(path: string): readonly string[] {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw new CommandFailure(exit.usage, `${path} does not exist`);
  if (!found.isDirectory()) {
    if (path.endsWith(ending)) return [path];
    throw new CommandFailure(exit.usage, `${path} is no ${ending} file`);
  }
  const files = readdirSync(path).filter((name) => name.endsWith(ending) && !name.startsWith('.'));
  if (files.length === 0) throw new CommandFailure(exit.usage, `there is no ${ending} file in ${path}`);
  return files.toSorted().map((name) => join(path, name));
}
