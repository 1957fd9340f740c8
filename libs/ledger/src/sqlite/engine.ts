import { createPublicKey, type KeyObject } from 'node:crypto';
import { dirname } from 'node:path';
import { closeSync, openSync, realpathSync } from 'node:fs';
import { HeadsFile } from '../chain/heads-file.js';
import { checkSignedHeads, headsInFile } from '../chain/opening-check.js';
import { createHeadSigner } from '../chain/signed-head.js';
import { syncPath } from '../copies/place-file.js';
import type { Engine } from '../engine.js';
import type { Request, Response } from '../thread/link.js';
import { allOperations } from '../operations/all-operations.js';
import { GroupCommit } from '../operations/group-commit.js';
import { heldChains } from '../operations/held-chains.js';
import { receiptChains } from '../operations/receipts.js';
import type { SqlDatabase } from '../sql/database.js';
import { HeadsInFile } from './heads-in-file.js';
import { openDatabase } from './opening/database.js';
import { sqliteDriver } from './sqlite-driver.js';
import { refuseMissing } from './opening/damage.js';
import { takeLock } from './opening/instance-lock.js';
import { SweptLog } from './swept-log.js';

export const inMemory = ':memory:';

export interface EngineOptions {
  /** Path of the ledger file, or `:memory:`. */
  readonly file: string;
  readonly headsFile?: string;
  /** Ed25519 private key that signs heads and checkpoints. */
  readonly signingKey: KeyObject;
  readonly maxBytes?: number;
  /** Messages to a webhook are written with the approvals that they tell of. */
  readonly hasWebhook?: boolean;
}

/** Lock, integrity check, migrations, the chains against their signed heads, then heads of what a crash left without one. Throws a `LedgerError`, or what the disk says. */
export function openEngine(options: EngineOptions): Engine {
  if (options.headsFile !== undefined) refuseMissing(options.file, options.headsFile);
  const file = options.file === inMemory ? inMemory : realFile(options.file);
  const lock = file === inMemory ? undefined : takeLock(file);
  try {
    const opened = openDatabase({ ...options, file });
    const database = sqliteDriver(opened);
    const headsFile = openHeads(database, options);
    if (file !== inMemory) syncFolders(file, options.headsFile);
    const chains = receiptChains(database);
    const store = allOperations(database, chains, options);
    const heads = new HeadsInFile({ database, chains, file: headsFile });
    const commit = new GroupCommit({ database, store, chains, heads });
    const log = new SweptLog(opened);
    return {
      run(requests) {
        const responses = commit.run(requests);
        if (requests.some((request) => isLastSweep(request, responses))) log.soil();
        log.tidy();
        return responses;
      },
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

function openHeads(database: SqlDatabase, { headsFile, signingKey }: EngineOptions): HeadsFile | undefined {
  if (headsFile === undefined) return undefined;
  try {
    checkSignedHeads(headsInFile(headsFile), [createPublicKey(signingKey)], heldChains(database));
    return new HeadsFile({ path: headsFile, sign: createHeadSigner(signingKey) });
  } catch (error) {
    database.close();
    throw error;
  }
}

function isLastSweep(request: Request, responses: readonly Response[]): boolean {
  if (request.operation !== 'sweepReceipts') return false;
  const swept = responses.find(({ id }) => id === request.id);
  return swept?.kind === 'done' && Number(swept.output) < request.input.limit;
}

/** A new file is there after a power loss only once its folder was synced. */
function syncFolders(file: string, headsFile: string | undefined): void {
  for (const folder of new Set([file, headsFile ?? file].map(dirname))) syncPath(folder);
}

/** One lock per file, by whatever path it is named; a new file is readable by its owner alone. */
function realFile(path: string): string {
  closeSync(openSync(path, 'a', 0o600));
  return realpathSync(path);
}
