import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Environment } from '@uar/config';

/** Where package managers put servers, which PATH of an ordinary user often leaves out. */
const usualFolders = ['/usr/sbin', '/usr/local/bin', '/usr/local/sbin', '/opt/homebrew/bin'];

/** UAR_NATS_SERVER alone where it is set; else the first `nats-server` of PATH and the usual folders. */
export function findNatsServer(
  env: Environment,
  folders: readonly string[] = usualFolders,
): string | undefined {
  const named = env['UAR_NATS_SERVER'];
  if (named !== undefined && named !== '') return isProgram(named) ? named : undefined;
  const path = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return [...path, ...folders].map((folder) => join(folder, 'nats-server')).find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
