import { join, relative } from 'node:path';
import type { FileProblem } from '@uar/governance-decider/adapters';
import { json, plain } from '../../output.js';
import { exit, type ExitCode, type World } from '../../world.js';
import { withFolder } from './open-folder.js';

export interface FolderOptions {
  readonly folder?: string;
  readonly json: boolean;
}

/** Everything that would keep the folder's sets from being loaded, but for cases. Nothing has to run. */
export function checkFolder(world: World, options: FolderOptions): Promise<ExitCode> {
  return withFolder(world, options.folder, async (policies, folder) => {
    const sets = await policies.check();
    const problems = sets.flatMap((set) => set.problems);
    const ok = problems.every(({ severity }) => severity !== 'error');
    if (options.json) world.out(json({ ok, sets }));
    else {
      for (const problem of problems) world.err(`${lineOf(world, folder, problem)}\n`);
      if (ok) {
        const names = sets.map(({ set, policies: count }) => (count === 0 ? set : `${set} (${count})`));
        world.out(`${shown(world, folder)}: good: ${names.join(', ')}\n`);
      }
    }
    return ok ? exit.ok : exit.failed;
  });
}

function lineOf(world: World, folder: string, problem: FileProblem): string {
  const { file, line, column, severity, message, suggestion } = problem;
  const place = [shown(world, join(folder, file)), ...(line === undefined ? [] : [line, column ?? 1])];
  const meant = suggestion === undefined ? '' : ` (did you mean ${plain(suggestion)}?)`;
  return `${place.join(':')}: ${severity}: ${plain(message)}${meant}`;
}

/** As seen from where the command runs. */
export function shown(world: World, path: string): string {
  const near = relative(world.cwd, path);
  return near === '' ? '.' : near.startsWith('..') ? path : near;
}
