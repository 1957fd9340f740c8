import { existsSync } from 'node:fs';
import type { KeyObject } from 'node:crypto';
import type { LedgerPlace } from '@uar/config';
import { verifyLedgerFile, type Verifications } from '@uar/ledger';
import { CommandFailure, exit } from '../../world.js';

export interface ChainsAsked {
  readonly publicKeys: readonly KeyObject[];
  /** Heads that were kept elsewhere, instead of the ledger's own file of them. */
  readonly headsFile?: string;
  readonly tenant?: string;
}

/** Verifies the chains of the ledger as it stands, beside whoever writes it. */
export function ledgerChains(place: LedgerPlace, asked: ChainsAsked): Promise<Verifications> {
  switch (place.kind) {
    case 'sqlite': {
      const { file, headsFile } = place;
      if (!existsSync(file)) throw new CommandFailure(exit.failed, `there is no ledger at ${file}`);
      return Promise.resolve(verifyLedgerFile({ file, headsFile, ...asked }));
    }
    case 'postgres':
      throw new CommandFailure(
        exit.failed,
        'chains in PostgreSQL can only be verified by a running server yet',
      );
  }
}
