import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';

/** Until this returns, a power loss may take what was written to a file, or the name of a file in its folder. */
export function syncPath(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** A finished file takes its name at once, over whatever has it. */
export function putInPlace(finished: string, path: string): void {
  syncPath(finished);
  renameSync(finished, path);
  syncPath(dirname(path));
}

/** As `putInPlace`, and what had the name keeps its contents under `aside`. Answers whether there was something. */
export function replaceKeeping(finished: string, path: string, aside: string): boolean {
  const kept = existsSync(path);
  if (kept) linkSync(path, aside);
  putInPlace(finished, path);
  return kept;
}
