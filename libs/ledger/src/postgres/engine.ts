import { createPublicKey, type KeyObject } from 'node:crypto';
import { checkSignedHeads } from '../chain/opening-check.js';
import { createHeadSigner } from '../chain/signed-head.js';
import type { Engine } from '../engine.js';
import { allOperations } from '../operations/all-operations.js';
import { GroupCommit } from '../operations/group-commit.js';
import { heldChains } from '../operations/held-chains.js';
import { receiptChains } from '../operations/receipts.js';
import type { SessionLimits } from './client/client-messages.js';
import { headsInTable, lastHeadsIn } from './heads-in-table.js';
import { migrate, refuseLaterSchema, refuseNoLedger } from './opening/migrate.js';
import { checkRights } from './opening/rights.js';
import { placeOf } from './place.js';
import { PostgresDatabase } from './postgres-database.js';

/** A ledger in a Postgres. */
export interface PostgresAccess {
  readonly url: string;
  readonly password?: string;
}

export interface PostgresEngineOptions extends PostgresAccess {
  /** Ed25519 private key that signs heads and checkpoints, the same for all replicas. */
  readonly signingKey: KeyObject;
  /** Messages to a webhook are written with the approvals that they tell of. */
  readonly hasWebhook?: boolean;
}

/** Of a service: whoever asks it does not wait for long. */
const servingLimits: SessionLimits = {
  connectMs: 2_000,
  statementMs: 4_000,
  lockMs: 3_000,
  idleInTransactionMs: 5_000,
};

/** Where a migration, or a check of all there is, may take its time. */
const patientLimits: SessionLimits = {
  connectMs: 5_000,
  statementMs: 120_000,
  lockMs: 60_000,
  idleInTransactionMs: 120_000,
};

/** Migrations, rights, and the chains against their signed heads. Throws a `LedgerError`. */
export function openPostgresEngine(options: PostgresEngineOptions): Engine {
  const database = new PostgresDatabase({ ...access(options), limits: patientLimits });
  try {
    refuseLaterSchema(database);
    migrate(database);
    checkRights(database);
    checkHeads(database, [createPublicKey(options.signingKey)]);
    database.setLimits(servingLimits);
    return engineOf(database, options);
  } catch (error) {
    database.close();
    throw error;
  }
}

function engineOf(database: PostgresDatabase, options: PostgresEngineOptions): Engine {
  const chains = receiptChains(database);
  const store = allOperations(database, chains, options);
  const heads = headsInTable(database, chains, createHeadSigner(options.signingKey));
  const commit = new GroupCommit({ database, store, chains, heads });
  return { run: (requests) => commit.run(requests), close: () => database.close() };
}

/** Opens what takes its time, for as long as `use` runs. */
export function withPostgres<T>(options: PostgresAccess, use: (database: PostgresDatabase) => T): T {
  const database = new PostgresDatabase({ ...access(options), limits: patientLimits });
  try {
    return use(database);
  } finally {
    database.close();
  }
}

/** What an opening looks at, without changing anything. Throws a `LedgerError`. */
export function checkOpening(options: PostgresAccess, publicKeys: readonly KeyObject[]): void {
  withPostgres(options, (database) => {
    refuseNoLedger(database);
    checkRights(database);
    checkHeads(database, publicKeys);
  });
}

/** Of one moment, while other replicas write. */
function checkHeads(database: PostgresDatabase, publicKeys: readonly KeyObject[]): void {
  database.reading(() => checkSignedHeads(lastHeadsIn(database), publicKeys, heldChains(database)));
}

function access({ url, password }: PostgresAccess) {
  return { place: placeOf(url), ...(password === undefined ? {} : { password }) };
}
