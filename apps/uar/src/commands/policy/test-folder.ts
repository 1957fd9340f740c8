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
      for (const line of advice(files)) world.err(`${shown(world, join(folder, line))}\n`);
      world.out(`${counted(rows, 'row')}, ${sumOf(rows, failed)}\n`);
    }
    return failed === 0 ? exit.ok : exit.failed;
  });
}

function sumOf(rows: number, failed: number): string {
  if (rows === 0) return 'nothing was tried';
  return failed === 0 ? 'all hold' : `${failed} not holding`;
}

/** What to do about rows that are not about this folder, or that it lacks; each begins with a path in it. */
function advice(files: readonly TestedFile[]): string[] {
  const foreign = files.filter(({ set, failures }) => set === 'starter' && failures.length > 0);
  const lines = foreign.map(
    ({ file }) =>
      `${file}: the rows of \`set: starter\` pin tenants/default as it ships. Where you changed it on purpose, ` +
      'change those rows too or remove the file; rows about your own set stand under `set: tenant:default`',
  );
  if (files.every(({ set }) => set !== 'platform'))
    lines.push(
      'cases: no rows of the platform; those of deploy/policies/cases/platform.yaml hold beside any set',
    );
  return lines;
}

function report(world: World, folder: string, { file, set, rows, failures }: TestedFile): void {
  const path = shown(world, join(folder, file));
  if (failures.length === 0) world.out(`${path}: ${counted(rows, 'row')} of ${set}\n`);
  for (const { case: name, line, differences } of failures) {
    const place = line === undefined ? path : `${path}:${line}`;
    world.err(`${place}: ${plain(name)}\n${differences.map((one) => `    ${plain(one)}\n`).join('')}`);
  }
}
