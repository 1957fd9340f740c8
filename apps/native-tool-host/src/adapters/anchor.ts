import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';

/** A folder found inside the allowed ones, held so that no renaming or re-linking of its path leads elsewhere. */
export interface Anchor {
  /** Its path without links, as it was when it was opened. */
  readonly realPath: string;
  /** A path to the entry `name` of this very folder. */
  entry(name: string): string;
  /** Whether `entry` still means this folder. */
  holds(): Promise<boolean>;
  close(): Promise<void>;
}

/** A regular file with one link, open for reading. */
export interface PlainFile {
  readonly handle: FileHandle;
  readonly stat: BigIntStats;
}

/** Opens paths so that what was checked is what was opened. Throws `FileRefused` or what the file system says. */
export interface SafePaths {
  openFile(path: string): Promise<PlainFile>;
  /** The folder of `path`, and the last component of it. */
  openFolderOf(path: string): Promise<{ readonly folder: Anchor; readonly name: string }>;
  /** Opens an entry of a folder; links are refused. Undefined: there is none. */
  openEntry(folder: Anchor, name: string): Promise<PlainFile | undefined>;
}
