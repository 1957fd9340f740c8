import { existsSync } from 'node:fs';
import type { KeyObject } from 'node:crypto';
import type { LedgerPlace } from '@uar/config';
import { checkLedger, LedgerError, verifyLedgerFile, type Verifications } from '@uar/ledger';
import { CommandFailure, exit } from '../../world.js';

export interface ChainsAsked {
  readonly publicKeys: readonly KeyObject[];
  /** Heads that were kept elsewhere, instead of the ledger's own. */
  readonly headsFile?: string;
  readonly tenant?: string;
}

/** Verifies the chains of the ledger as it stands, beside whoever writes it. */
export function ledgerChains(place: LedgerPlace, asked: ChainsAsked): Verifications {
  if (place.kind === 'postgres') return chainsInPostgres(place, asked);
  const { file, headsFile } = place;
  if (!existsSync(file)) throw new CommandFailure(exit.failed, `there is no ledger at ${file}`);
  return verifyLedgerFile({ file, headsFile, ...asked });
}

function chainsInPostgres(
  place: Extract<LedgerPlace, { kind: 'postgres' }>,
  { publicKeys, headsFile, tenant }: ChainsAsked,
): Verifications {
  if (headsFile !== undefined)
    throw new CommandFailure(
      exit.usage,
      '--heads is for a ledger file or an export; this ledger has its own in the database: export it (uar receipts export), and verify that with --file and --heads',
    );
  const chains = reached(() => checkLedger({ ...place, publicKeys }).chains);
  return new Map([...chains].filter(([each]) => tenant === undefined || each === tenant));
}

function reached<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof LedgerError && error.kind === 'unavailable')
      throw new CommandFailure(exit.unreachable, error.message);
    throw error;
  }
}
