import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AllowedFolders } from './adapters/allowed-folders.js';
import type { SafePaths } from './adapters/anchor.js';
import { LocalFiles } from './adapters/local-files.js';
import { fileTools } from './domain/file-tools.js';
import type { ToolEnd } from './domain/native-tool.js';

export interface Workplace {
  /** The allowed folder. */
  readonly inside: string;
  /** A folder beside it, not allowed. */
  readonly outside: string;
  /** A guarded folder inside the allowed one. */
  readonly guarded: string;
  call(tool: 'file_read' | 'file_write' | 'file_patch', args: Record<string, unknown>): Promise<ToolEnd>;
  remove(): void;
}

export const maxFileBytes = 64 * 1024;
export const maxWriteBytes = 16 * 1024;

export function workplace(makePaths: (folders: AllowedFolders) => SafePaths): Workplace {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'uar-files-')));
  const inside = join(base, 'work');
  const outside = join(base, 'work-of-others');
  const guarded = join(inside, '.uar');
  for (const folder of [inside, outside, guarded]) mkdirSync(folder);
  const folders = new AllowedFolders([inside], [guarded]);
  const files = new LocalFiles(makePaths(folders), maxFileBytes);
  const tools = new Map(fileTools({ files, maxFileBytes, maxWriteBytes }).map((tool) => [tool.name, tool]));
  return {
    inside,
    outside,
    guarded,
    call(name, args) {
      const prepared = tools.get(name)?.prepare(args);
      if (prepared?.kind !== 'ready') throw new Error(prepared?.problem ?? 'no such tool');
      return prepared.run(AbortSignal.timeout(10_000));
    },
    remove() {
      rmSync(base, { recursive: true, force: true });
    },
  };
}
