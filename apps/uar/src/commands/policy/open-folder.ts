import { resolve } from 'node:path';
import { formatProblems, loadConfig, policiesFolderProblem } from '@uar/config';
import { OfflinePolicies } from '@uar/governance-decider/adapters';
import { CommandFailure, exit, type World } from '../../world.js';

/** Opens a folder, or the one that the configuration names, lets `work` use it, and closes it. */
export async function withFolder<T>(
  world: World,
  folder: string | undefined,
  work: (policies: OfflinePolicies, folder: string) => Promise<T>,
): Promise<T> {
  const path = folder === undefined ? configuredFolder(world) : resolve(world.cwd, folder);
  const problem = policiesFolderProblem(path);
  if (problem !== undefined) throw new CommandFailure(exit.usage, problem);
  const opened = await OfflinePolicies.open(path);
  if (opened.kind === 'unreadable') throw new CommandFailure(exit.failed, opened.problem);
  try {
    return await work(opened.policies, path);
  } finally {
    await opened.policies.close();
  }
}

function configuredFolder(world: World): string {
  const loaded = loadConfig({ env: world.env, cwd: world.cwd, generate: false });
  if (loaded.kind === 'ok') return loaded.config.governance.policies_dir;
  throw new CommandFailure(exit.failed, `the configuration is bad:\n${formatProblems(loaded.problems)}`);
}
