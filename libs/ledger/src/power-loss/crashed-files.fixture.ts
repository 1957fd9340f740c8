import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** What the child was told is durable. */
export type Acknowledged =
  | { readonly kind: 'receipt'; readonly seq: number; readonly hash: string }
  | {
      readonly kind: 'approval';
      readonly approvalId: string;
      readonly status: 'pending' | 'approved' | 'consumed';
    };

export type FileOperation =
  | { readonly kind: 'write'; readonly file: string; readonly offset: number; readonly data: Buffer }
  | { readonly kind: 'truncate'; readonly file: string; readonly size: number }
  | { readonly kind: 'sync'; readonly file: string };

/** Reads what `recorder.c` has written down. */
export function readRecord(path: string): readonly FileOperation[] {
  const record = readFileSync(path);
  const operations: FileOperation[] = [];
  for (let at = 0; at + 24 <= record.length;) {
    const kind = String.fromCharCode(record.readUInt32LE(at));
    const pathSize = record.readUInt32LE(at + 4);
    const offset = Number(record.readBigUInt64LE(at + 8));
    const size = Number(record.readBigUInt64LE(at + 16));
    const file = basename(record.toString('utf8', at + 24, at + 24 + pathSize));
    const data = record.subarray(at + 24 + pathSize, at + 24 + pathSize + size);
    if (kind === 'w') operations.push({ kind: 'write', file, offset, data });
    else if (kind === 't') operations.push({ kind: 'truncate', file, size: offset });
    else operations.push({ kind: 'sync', file });
    at += 24 + pathSize + size;
  }
  return operations;
}

class Content {
  bytes = Buffer.alloc(0);

  apply(operation: Exclude<FileOperation, { kind: 'sync' }>): void {
    if (operation.kind === 'truncate') {
      this.#grow(operation.size);
      this.bytes = this.bytes.subarray(0, operation.size);
      return;
    }
    this.#grow(operation.offset + operation.data.length);
    operation.data.copy(this.bytes, operation.offset);
  }

  #grow(size: number): void {
    if (size <= this.bytes.length) return;
    const grown = Buffer.alloc(size);
    this.bytes.copy(grown);
    this.bytes = grown;
  }
}

interface DiskFile {
  readonly durable: Content;
  /** Done, and never synced: a crash may or may not leave them. */
  pending: Exclude<FileOperation, { kind: 'sync' }>[];
}

const ledgerFiles = ['ledger.db', 'ledger.db-wal', 'heads.jsonl'];

/** The files of a ledger as a disk holds them that keeps only what was synced. A file is there once it was synced. */
export class Disk {
  readonly #files = new Map<string, DiskFile>();

  apply(operation: FileOperation): void {
    const file = this.#file(operation.file);
    if (operation.kind !== 'sync') file.pending.push(operation);
    else for (const done of file.pending.splice(0)) file.durable.apply(done);
  }

  /** Every line of `acks` so far, synced or not: what was said is said. */
  acknowledged(): readonly Acknowledged[] {
    const said = this.#file('acks').pending.map((each) =>
      each.kind === 'write' ? each.data.toString() : '',
    );
    return said
      .join('')
      .split('\n')
      .filter((line) => line !== '')
      .map((line): Acknowledged => JSON.parse(line));
  }

  /**
   * Writes what a crash at this moment leaves. `survives` says of each operation that was not synced whether it reached the
   * disk: pages in any order, of the appended heads only the first ones.
   */
  leave(folder: string, survives: () => boolean): void {
    mkdirSync(folder);
    for (const name of ledgerFiles) {
      const { durable, pending } = this.#file(name);
      const left = new Content();
      left.bytes = Buffer.from(durable.bytes);
      for (const operation of pending) {
        if (survives()) left.apply(operation);
        else if (name === 'heads.jsonl') break;
      }
      if (left.bytes.length > 0) writeFileSync(join(folder, name), left.bytes);
    }
  }

  #file(name: string): DiskFile {
    const known = this.#files.get(name) ?? { durable: new Content(), pending: [] };
    this.#files.set(name, known);
    return known;
  }
}
