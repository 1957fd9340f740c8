import { randomBytes } from 'node:crypto';
import { constants, type BigIntStats } from 'node:fs';
import { link, lstat, open, rename, unlink, type FileHandle } from 'node:fs/promises';
import type { Anchor } from './anchor.js';
import { codeOf, FileRefused } from './file-errors.js';

const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW, O_RDONLY, O_DIRECTORY } = constants;
const newFileMode = 0o644;

export interface Replacement {
  readonly folder: Anchor;
  readonly name: string;
  readonly bytes: Uint8Array;
  /** The file that is replaced; undefined: there was none. */
  readonly current: BigIntStats | undefined;
  readonly signal: AbortSignal;
}

/**
 * Writes beside the file, makes it durable, then puts it in its place: power loss leaves the old content or the new.
 * `lost`: the file is no longer the one that `current` describes, and stays as it is.
 */
export async function replaceFile(replacement: Replacement): Promise<'replaced' | 'lost'> {
  const { folder, current } = replacement;
  const draft = folder.entry(`.uar-${randomBytes(8).toString('hex')}.tmp`);
  try {
    await writeDraft(draft, replacement);
    replacement.signal.throwIfAborted();
    if (!(await folder.holds())) throw new FileRefused('not_allowed');
    const placed =
      current === undefined ? await placeNew(draft, replacement) : await placeOver(draft, replacement);
    if (placed) await makeDurable(folder);
    return placed ? 'replaced' : 'lost';
  } finally {
    await unlink(draft).catch((error: unknown) => {
      if (codeOf(error) !== 'ENOENT') throw error;
    });
  }
}

async function writeDraft(draft: string, { bytes, current }: Replacement): Promise<void> {
  const mode = current === undefined ? newFileMode : Number(current.mode & 0o777n);
  const handle = await open(draft, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, mode);
  try {
    await handle.writeFile(bytes);
    if (current !== undefined) await keepOwnerAndMode(handle, current, mode);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** A file of another owner that cannot be kept as theirs is not replaced. */
async function keepOwnerAndMode(handle: FileHandle, current: BigIntStats, mode: number): Promise<void> {
  const own = await handle.stat({ bigint: true });
  if (own.uid !== current.uid || own.gid !== current.gid)
    await handle.chown(Number(current.uid), Number(current.gid));
  await handle.chmod(mode);
}

/** A link never lands on something that is there. */
async function placeNew(draft: string, { folder, name }: Replacement): Promise<boolean> {
  try {
    await link(draft, folder.entry(name));
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

async function placeOver(draft: string, { folder, name, current }: Replacement): Promise<boolean> {
  const there = await lstat(folder.entry(name), { bigint: true }).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (there === undefined || current === undefined || !isSame(there, current)) return false;
  await rename(draft, folder.entry(name));
  return true;
}

function isSame(a: BigIntStats, b: BigIntStats): boolean {
  return (
    a.dev === b.dev &&
    a.ino === b.ino &&
    a.size === b.size &&
    a.mtimeNs === b.mtimeNs &&
    a.ctimeNs === b.ctimeNs
  );
}

async function makeDurable(folder: Anchor): Promise<void> {
  const handle = await open(folder.entry('.'), O_RDONLY | O_DIRECTORY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
