import { closeSync, openSync, readSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';

/** The lines of a UTF-8 file, one at a time, so that no file is too long. `whole` is false for a last line without line break. */
export function* readLines(path: string): Generator<{ text: string; whole: boolean }> {
  const descriptor = openSync(path, 'r');
  const decoder = new StringDecoder('utf8');
  const chunk = Buffer.alloc(1 << 16);
  let rest = '';
  try {
    for (let read = readSync(descriptor, chunk); read > 0; read = readSync(descriptor, chunk)) {
      const lines = (rest + decoder.write(chunk.subarray(0, read))).split('\n');
      rest = lines.pop() ?? '';
      for (const text of lines) yield { text, whole: true };
    }
    if (rest !== '') yield { text: rest, whole: false };
  } finally {
    closeSync(descriptor);
  }
}
