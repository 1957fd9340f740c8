import { createPublicKey, type KeyObject } from 'node:crypto';
import { closeSync, openSync, realpathSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { HeadsFile } from '../chain/heads-file.js';
import { checkSignedHeads } from '../chain/opening-check.js';
import { createHeadSigner } from '../chain/signed-head.js';
import type { Request, Response } from '../link.js';
import { openDatabase } from './opening/database.js';
import { GroupCommit } from './group-commit.js';
import { heldChains } from './held-chains.js';
import { refuseMissing } from './opening/damage.js';
import { takeLock } from './opening/instance-lock.js';
import { receiptChains } from './receipts.js';
import { sqliteStore } from './sqlite-store.js';

export const inMemory = ':memory:';

export interface EngineOptions {
  /** Path of the ledger file, or `:memory:`. */
  readonly file: string;
  readonly heads?: { readonly file: string; readonly signingKey: KeyObject };
  readonly maxBytes?: number;
}

/** The ledger as its own thread sees it: synchronous. */
export interface Engine {
  run(requests: readonly Request[]): readonly Response[];
  close(): void;
}

/** Lock, integrity check, migrations, the chains against their signed heads, then heads of what a crash left without one. Throws a `LedgerError`, or what the disk says. */
export function openEngine(options: EngineOptions): Engine {
  if (options.heads) refuseMissing(options.file, options.heads.file);
  const file = options.file === inMemory ? inMemory : realFile(options.file);
  const lock = file === inMemory ? undefined : takeLock(file);
  try {
    const database = openDatabase({ ...options, file });
    const headsFile = options.heads && openHeads(database, options.heads);
    const chains = receiptChains(database);
    const commit = new GroupCommit({ database, store: sqliteStore(database, chains), chains, headsFile });
    return {
      run: (requests) => commit.run(requests),
      close() {
        try {
          headsFile?.close();
          database.close();
        } finally {
          lock?.release();
        }
      },
    };
  } catch (error) {
    lock?.release();
    throw error;
  }
}

function openHeads(database: Database.Database, heads: NonNullable<EngineOptions['heads']>): HeadsFile {
  try {
    checkSignedHeads(heads.file, [createPublicKey(heads.signingKey)], heldChains(database));
    return new HeadsFile({ path: heads.file, sign: createHeadSigner(heads.signingKey) });
  } catch (error) {
    database.close();
    throw error;
  }
}

/** One lock per file, by whatever path it is named; a new file is readable by its owner alone. */
function realFile(path: string): string {
  closeSync(openSync(path, 'a', 0o600));
  return realpathSync(path);
}
