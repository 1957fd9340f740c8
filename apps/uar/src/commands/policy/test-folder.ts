import { join } from 'node:path';
import type { TestedFile } from '@uar/governance-decider/adapters';
import { counted, json, plain } from '../../output.js';
import { exit, type ExitCode, type World } from '../../world.js';
import { shown, type FolderOptions } from './check-folder.js';
import { withFolder } from './open-folder.js';

/** Every row of every case file, decided by the real engine. Nothing has to run. */
export function testFolder(world: World, options: FolderOptions): Promise<ExitCode> {
  return withFolder(world, options.folder, async (policies, folder) => {
    const files = await policies.test();
    const rows = files.reduce((sum, file) => sum + file.rows, 0);
    const failed = files.reduce((sum, { failures }) => sum + failures.length, 0);
    if (options.json) world.out(json({ ok: failed === 0, rows, failed, files }));
    else {
      for (const file of files) report(world, folder, file);
      world.out(`${counted(rows, 'row')}, ${failed === 0 ? 'all hold' : `${failed} not holding`}\n`);
    }
    return failed === 0 ? exit.ok : exit.failed;
  });
}

function report(world: World, folder: string, { file, set, rows, failures }: TestedFile): void {
  const path = shown(world, join(folder, file));
  if (failures.length === 0) world.out(`${path}: ${counted(rows, 'row')} of ${set}\n`);
  for (const { case: name, line, differences } of failures) {
    const place = line === undefined ? path : `${path}:${line}`;
    world.err(`${place}: ${plain(name)}\n${differences.map((one) => `    ${plain(one)}\n`).join('')}`);
  }
}
