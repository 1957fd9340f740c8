import { constants } from 'node:fs';
import { open, readlink, type FileHandle } from 'node:fs/promises';
import type { AllowedFolders } from './allowed-folders.js';
import type { Anchor, PlainFile, SafePaths } from './anchor.js';
import { codeOf, FileRefused } from './file-errors.js';
import { splitPath } from './split-path.js';

/** Names a file without opening it: no side effect on pipes and devices (open(2)). Node has no constant for it. */
const pathOnly = 0o10000000;
const { O_RDONLY, O_NONBLOCK, O_NOCTTY, O_NOFOLLOW, O_DIRECTORY } = constants;

/**
 * Linux: a path is resolved once, into a descriptor that only names the file; the kernel then says where that
 * descriptor is (`/proc/self/fd`), and the very same file is opened through it. Nothing that happens to the path
 * between can change which file that is.
 */
export class DescriptorPaths implements SafePaths {
  constructor(private readonly folders: AllowedFolders) {}

  async openFile(path: string): Promise<PlainFile> {
    if (!(await this.folders.mayContain(path))) throw new FileRefused('not_allowed');
    const named = await open(path, pathOnly);
    try {
      if (!(await this.folders.contain(await whereIs(named)))) throw new FileRefused('not_allowed');
      return await openPlain(named);
    } finally {
      await named.close();
    }
  }

  async openFolderOf(path: string): Promise<{ folder: Anchor; name: string }> {
    if (!(await this.folders.mayContain(path))) throw new FileRefused('not_allowed');
    const { parent, name } = splitPath(path);
    const named = await open(parent, pathOnly | O_DIRECTORY);
    try {
      const realPath = await whereIs(named);
      const allowed = await this.folders.contain(realPath);
      if (!allowed || !(await this.folders.contain(`${realPath}/${name}`)))
        throw new FileRefused('not_allowed');
      return { folder: anchorOf(named, realPath), name };
    } catch (error) {
      await named.close();
      throw error;
    }
  }

  async openEntry(folder: Anchor, name: string): Promise<PlainFile | undefined> {
    let named: FileHandle;
    try {
      named = await open(folder.entry(name), pathOnly | O_NOFOLLOW);
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error;
    }
    try {
      return await openPlain(named);
    } finally {
      await named.close();
    }
  }
}

function anchorOf(folder: FileHandle, realPath: string): Anchor {
  return {
    realPath,
    entry: (name) => `/proc/self/fd/${String(folder.fd)}/${name}`,
    holds: () => Promise.resolve(true),
    close: () => folder.close(),
  };
}

function whereIs(handle: FileHandle): Promise<string> {
  return readlink(`/proc/self/fd/${String(handle.fd)}`);
}

async function openPlain(named: FileHandle): Promise<PlainFile> {
  const before = await named.stat({ bigint: true });
  if (!before.isFile()) throw new FileRefused('not_plain');
  const handle = await open(`/proc/self/fd/${String(named.fd)}`, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  const stat = await handle.stat({ bigint: true });
  if (stat.isFile() && stat.nlink === 1n && stat.ino === before.ino && stat.dev === before.dev)
    return { handle, stat };
  await handle.close();
  throw new FileRefused(stat.nlink === 0n ? 'not_found' : 'not_plain');
}
