import {
  closeSync,
  fdatasync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs';
import { readLines } from './lines.js';
import type { HeadSigner, Head } from './signed-head.js';

const syncEveryMs = 1_000;

/**
 * `heads.jsonl`: after each commit one signed line per tenant whose chain grew.
 *
 * What it proves. A line says: at that moment the holder of the signing key had a chain whose receipt `seq` had this hash,
 * and a hash stands for every receipt before it. So against the file, alone and offline, these show: a receipt changed by
 * one byte, one taken out or put in anywhere before the last head, the chain cut short of any head, and a head line
 * altered or signed by another key.
 *
 * What it cannot prove. Whoever can write both files can cut the last head lines together with the receipts after the
 * head before them: what is left is a shorter, valid history. Whoever holds the signing key too can write any history.
 * Both show only to somebody who holds an earlier head: ship the lines off the machine as they appear (log collector,
 * append-only bucket, a mail to the auditor) and give them to the verification as `witnessed`.
 * Receipts committed after the last line (a crash between commit and append, at most `maxUncovered`) are covered by their
 * hashes alone until the next head, which is written at the next start at the latest. Beyond that, or when the file has
 * fewer lines than the ledger has counted, or names a head the chain does not contain, the ledger does not open and nothing
 * is signed. So emptying this file shows. But the count stands in the ledger file, and whoever can write the data folder
 * can lower it too: then a chain of up to `maxUncovered` receipts, or as many after a head that was left standing, can
 * be rewritten and is signed at the next start. No secret kept beside the data would help; heads shipped elsewhere do.
 */
export class HeadsFile {
  readonly #descriptor: number;
  readonly #sign: HeadSigner;
  #syncing = false;
  #syncedAt = 0;
  #lines: number;
  #durableLines = 0;

  constructor(options: { path: string; sign: HeadSigner }) {
    this.#sign = options.sign;
    this.#descriptor = openSync(options.path, 'a+', 0o600);
    dropTornLine(this.#descriptor);
    this.#lines = countLines(options.path);
  }

  /** Lines that a power loss does not take. */
  get durableLines(): number {
    return this.#durableLines;
  }

  /** Throws what the file system says. */
  sync(): void {
    fsyncSync(this.#descriptor);
    this.#durableLines = this.#lines;
  }

  /** All lines or none. Throws what the file system says. */
  append(heads: readonly Head[]): void {
    const text = heads.map((head) => `${JSON.stringify(this.#sign(head))}\n`).join('');
    const bytes = Buffer.from(text);
    const before = fstatSync(this.#descriptor).size;
    try {
      for (let offset = 0; offset < bytes.length;) offset += writeSync(this.#descriptor, bytes, offset);
    } catch (error) {
      this.#takeBack(before);
      throw error;
    }
    this.#lines += heads.length;
    this.#syncSoon();
  }

  close(): void {
    try {
      fsyncSync(this.#descriptor);
    } catch {
      // The chains are durable without it, and the next start signs their heads again.
    } finally {
      closeSync(this.#descriptor);
    }
  }

  #takeBack(size: number): void {
    try {
      ftruncateSync(this.#descriptor, size);
    } catch {
      // A torn line that cannot be taken back is dropped at the next start; the caller hears of the write that failed.
    }
  }

  // The chain itself is durable before its head is written, so a head lost with the power only means a later proof.
  #syncSoon(): void {
    const now = Date.now();
    if (this.#syncing || now - this.#syncedAt < syncEveryMs) return;
    this.#syncing = true;
    this.#syncedAt = now;
    const lines = this.#lines;
    fdatasync(this.#descriptor, (error) => {
      this.#syncing = false;
      if (!error) this.#durableLines = Math.max(this.#durableLines, lines);
    });
  }
}

function countLines(path: string): number {
  let count = 0;
  if (statSync(path).isFile()) for (const { whole } of readLines(path)) count += whole ? 1 : 0;
  return count;
}

/** A line cut off by a crash was never a head; the next one starts on a line of its own. */
function dropTornLine(descriptor: number): void {
  const { size } = fstatSync(descriptor);
  const window = Buffer.alloc(Math.min(size, 4096));
  readSync(descriptor, window, 0, window.length, size - window.length);
  if (window.length === 0 || window.at(-1) === 0x0a) return;
  ftruncateSync(descriptor, size - window.length + window.lastIndexOf(0x0a) + 1);
}
