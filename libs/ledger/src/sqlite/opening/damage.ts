import { existsSync, openSync, readSync, closeSync, statSync } from 'node:fs';
import { LedgerError } from '../../ledger-error.js';
import { codeOf } from '../../failure.js';

const wayOut =
  'Nothing was changed. Put a backup in its place (uar ledger restore <backup>), or move it aside to start a new ledger';

export function isDamage(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'SQLITE_NOTADB' || code?.startsWith('SQLITE_CORRUPT') === true;
}

export function damaged(file: string, found: unknown): LedgerError {
  if (codeOf(found) === 'SQLITE_NOTADB') return refusedFile(file, 'is no ledger: it is no database', found);
  const problem = found instanceof Error ? found.message : String(found);
  return refusedFile(file, `fails its integrity check: ${problem.split('\n').slice(0, 3).join('; ')}`, found);
}

/** A ledger that is gone, or empty, while heads of its receipts are there: a new one must not take its place unseen. */
export function refuseMissing(file: string, headsFile: string): void {
  if (sizeOf(file) > 0 || sizeOf(headsFile) === 0) return;
  const how = existsSync(file) ? 'is empty' : 'is missing';
  throw new LedgerError(
    'corrupt',
    `${file} ${how}, but ${headsFile} names its receipts. Restore a backup (uar ledger restore <backup>), or move the heads file aside too to start a new ledger.`,
  );
}

/** Throws `corrupt` for a file that is shorter than its own header says; with a log beside it the rest may stand there. */
export function refuseCutFile(file: string): void {
  const bytes = sizeOf(file);
  if (bytes < 100 || sizeOf(`${file}-wal`) > 0) return;
  const header = headerOf(file);
  if (header.toString('latin1', 0, 15) !== 'SQLite format 3') return;
  const pageBytes = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
  const expected = header.readUInt32BE(28) * pageBytes;
  if (bytes < expected) throw refusedFile(file, `is cut short: it has ${bytes} of ${expected} bytes`);
}

function refusedFile(file: string, problem: string, cause?: unknown): LedgerError {
  return new LedgerError('corrupt', `${file} ${problem}. ${wayOut}.`, { cause });
}

function headerOf(file: string): Buffer {
  const descriptor = openSync(file, 'r');
  try {
    const header = Buffer.alloc(100);
    readSync(descriptor, header, 0, header.length, 0);
    return header;
  } finally {
    closeSync(descriptor);
  }
}

/** 0 for what is not there, and for what is no regular file. */
function sizeOf(path: string): number {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true ? found.size : 0;
}
