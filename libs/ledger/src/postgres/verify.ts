import type { KeyObject } from 'node:crypto';
import { KnownHeads } from '../chain/known-heads.js';
import { verifyHeldChains, type Verifications } from '../chain/verify-held.js';
import { heldChains } from '../operations/held-chains.js';
import { withPostgres, type PostgresAccess } from './engine.js';
import { storedHeads } from './heads-in-table.js';
import { refuseNoLedger } from './opening/migrate.js';

export interface PostgresVerification extends PostgresAccess {
  /** Only that one. */
  readonly tenant?: string;
  readonly publicKeys: readonly KeyObject[];
}

/** Every chain against its heads, all of one moment, while replicas write. Throws `LedgerError` for what is no ledger. */
export function verifyPostgres(options: PostgresVerification): Verifications {
  const { tenant, publicKeys } = options;
  return withPostgres(options, (database) =>
    database.reading(() => {
      refuseNoLedger(database);
      const held = heldChains(database);
      const heads = new KnownHeads({ stored: storedHeads(database, tenant), publicKeys }, held.headLines);
      return verifyHeldChains(database, {
        heads,
        publicKeys,
        lengths: held.lengths,
        ...(tenant === undefined ? {} : { tenant }),
      });
    }),
  );
}
