import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Everything that stands in the files of a folder, byte by byte. */
export function fileTexts(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');
}
