import { realpath } from 'node:fs/promises';
import { componentsOf, isInside } from '../domain/path-rules.js';

/** Kernel file systems: their files are regular by type and nothing else. */
const neverInside = ['/proc', '/sys', '/dev'];

/** Which paths file tools may touch: inside an allowed folder, outside of every guarded file and folder. */
export class AllowedFolders {
  /** `guarded`: our own data, keys and policies, wherever an allowed folder contains them. */
  constructor(
    private readonly allowed: readonly string[],
    private readonly guarded: readonly string[],
  ) {
    const bad = [...allowed, ...guarded].find((path) => componentsOf(path) === undefined);
    if (bad !== undefined) throw new Error(`not an absolute path: ${JSON.stringify(bad)}`);
  }

  /** By the text of a path alone, before the file system is asked about it. */
  async mayContain(path: string): Promise<boolean> {
    const components = componentsOf(path);
    if (components === undefined) return false;
    return (await realPaths(this.allowed)).some((folder) => holds(folder, components));
  }

  /** `realPath`: without links, as the kernel names an open file or folder. */
  async contain(realPath: string): Promise<boolean> {
    const components = componentsOf(realPath);
    if (components === undefined) return false;
    const within = (folder: string): boolean => holds(folder, components);
    if (neverInside.some(within)) return false;
    if ((await realPaths(this.guarded)).some(within)) return false;
    return (await realPaths(this.allowed)).some(within);
  }
}

function holds(folder: string, path: readonly string[]): boolean {
  const components = componentsOf(folder);
  return components !== undefined && isInside(path, components);
}

/** Both the path as it is written and where it leads: a guarded file that does not exist yet stays guarded. */
async function realPaths(paths: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(paths.map(async (path) => [path, await realpath(path).catch(() => path)]));
  return found.flat();
}
