import type { Edit, FileChange, FileRead, Files } from '../domain/files.js';
import type { Anchor, PlainFile, SafePaths } from './anchor.js';
import { replaceFile } from './atomic-replace.js';
import { FileRefused, problemOf } from './file-errors.js';

/** Tries before a file that others keep changing is given up. */
const maxTries = 8;

/** Files of this machine. Changes of one file wait for each other; others' changes are noticed before replacing. */
export class LocalFiles implements Files {
  private readonly queues = new Map<string, Promise<unknown>>();

  constructor(
    private readonly paths: SafePaths,
    private readonly maxFileBytes: number,
  ) {}

  read(path: string, signal: AbortSignal): Promise<FileRead> {
    return asValue(async () => {
      const file = await this.paths.openFile(path);
      return { kind: 'read', bytes: await this.content(file, signal) };
    });
  }

  change(path: string, edit: Edit, signal: AbortSignal): Promise<FileChange> {
    return asValue(async () => {
      const { folder, name } = await this.paths.openFolderOf(path);
      try {
        return await this.inTurn(`${folder.realPath}/${name}`, () =>
          this.replace({ folder, name, edit, signal }),
        );
      } finally {
        await folder.close();
      }
    });
  }

  private async replace(at: {
    folder: Anchor;
    name: string;
    edit: Edit;
    signal: AbortSignal;
  }): Promise<FileChange> {
    const { folder, name, edit, signal } = at;
    for (let tries = 0; tries < maxTries; tries += 1) {
      signal.throwIfAborted();
      const file = await this.paths.openEntry(folder, name);
      const bytes = await this.present(file, edit, signal);
      const edited = edit.make(bytes);
      if (edited.kind === 'keep') return { kind: 'kept', reason: edited.reason };
      const end = await replaceFile({ folder, name, bytes: edited.bytes, current: file?.stat, signal });
      if (end === 'replaced') return { kind: 'changed', bytes: edited.bytes.length };
    }
    throw new FileRefused('contended');
  }

  private async present(
    file: PlainFile | undefined,
    edit: Edit,
    signal: AbortSignal,
  ): Promise<Uint8Array | undefined> {
    if (file === undefined) return undefined;
    if (edit.readsCurrent) return this.content(file, signal);
    await file.handle.close();
    return undefined;
  }

  /** Reads and closes. One byte more than the limit is enough to know. */
  private async content({ handle, stat }: PlainFile, signal: AbortSignal): Promise<Uint8Array> {
    try {
      if (stat.size > BigInt(this.maxFileBytes)) throw new FileRefused('too_large');
      const buffer = Buffer.alloc(Number(stat.size) + 1);
      let length = 0;
      for (;;) {
        signal.throwIfAborted();
        const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
        length += bytesRead;
        if (bytesRead === 0) return buffer.subarray(0, length);
        if (length === buffer.length) throw new FileRefused('contended');
      }
    } finally {
      await handle.close();
    }
  }

  /** One after the other per file. */
  private async inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.queues.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    const settled = mine.catch(() => undefined);
    this.queues.set(key, settled);
    try {
      return await mine;
    } finally {
      if (this.queues.get(key) === settled) this.queues.delete(key);
    }
  }
}

async function asValue<T>(
  work: () => Promise<T>,
): Promise<T | { kind: 'problem'; problem: FileRefused['problem'] }> {
  try {
    return await work();
  } catch (error) {
    const problem = problemOf(error);
    if (problem === undefined) throw error;
    return { kind: 'problem', problem };
  }
}
