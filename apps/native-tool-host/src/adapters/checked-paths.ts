import { constants } from 'node:fs';
import { lstat, open, realpath, stat, type FileHandle } from 'node:fs/promises';
import type { AllowedFolders } from './allowed-folders.js';
import type { Anchor, PlainFile, SafePaths } from './anchor.js';
import { codeOf, FileRefused } from './file-errors.js';
import { splitPath } from './split-path.js';

const { O_RDONLY, O_NONBLOCK, O_NOCTTY, O_NOFOLLOW } = constants;

/**
 * Where the kernel has no `/proc` (macOS): a path is resolved, checked, opened without following links, and resolved
 * again; the open file has to be the one that is there. Weaker than descriptors: between the last check and the
 * renaming of a finished file its folder could be moved by another process of the same user.
 */
export class CheckedPaths implements SafePaths {
  constructor(private readonly folders: AllowedFolders) {}

  async openFile(path: string): Promise<PlainFile> {
    if (!(await this.folders.mayContain(path))) throw new FileRefused('not_allowed');
    const real = await this.allowed(path);
    const file = await openPlain(real);
    if ((await realpath(path).catch(() => undefined)) === real) return file;
    await file.handle.close();
    throw new FileRefused('not_allowed');
  }

  async openFolderOf(path: string): Promise<{ folder: Anchor; name: string }> {
    if (!(await this.folders.mayContain(path))) throw new FileRefused('not_allowed');
    const { parent, name } = splitPath(path);
    const real = await this.allowed(parent);
    const found = await stat(real, { bigint: true });
    if (!found.isDirectory()) throw new FileRefused('not_found');
    if (!(await this.folders.contain(`${real}/${name}`))) throw new FileRefused('not_allowed');
    const folder: Anchor = {
      realPath: real,
      entry: (entry) => `${real}/${entry}`,
      close: () => Promise.resolve(),
      holds: async () => {
        const now = await lstat(real, { bigint: true });
        return now.dev === found.dev && now.ino === found.ino && (await realpath(real)) === real;
      },
    };
    return { folder, name };
  }

  async openEntry(folder: Anchor, name: string): Promise<PlainFile | undefined> {
    try {
      const file = await openPlain(folder.entry(name));
      if (await folder.holds()) return file;
      await file.handle.close();
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error;
    }
    throw new FileRefused('not_allowed');
  }

  private async allowed(path: string): Promise<string> {
    const real = await realpath(path);
    if (!(await this.folders.contain(real))) throw new FileRefused('not_allowed');
    return real;
  }
}

async function openPlain(real: string): Promise<PlainFile> {
  const before = await lstat(real, { bigint: true });
  if (!before.isFile()) throw new FileRefused('not_plain');
  const handle: FileHandle = await open(real, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
  const now = await handle.stat({ bigint: true });
  if (now.isFile() && now.nlink === 1n && now.dev === before.dev && now.ino === before.ino)
    return { handle, stat: now };
  await handle.close();
  throw new FileRefused('not_plain');
}
