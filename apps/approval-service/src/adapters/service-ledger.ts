import { chmodSync, mkdirSync } from 'node:fs';
import { ledgerPlace, type ResolvedConfig } from '@uar/config';
import { createSeal, ensureSecretFile, ensureSigningKeys, receiptPublicPath } from '@uar/keys';
import { openLedger, type Ledger } from '@uar/ledger';

/** The ledger of this deployment. Makes the data folder (0700) and keys that are not there yet. */
export function openServiceLedger(config: ResolvedConfig): Promise<Ledger> {
  const { data_dir, keys, approvals } = config;
  mkdirSync(data_dir, { recursive: true, mode: 0o700 });
  chmodSync(data_dir, 0o700);
  const receiptKeyFile = keys.receipt_private_file;
  const common = {
    seal: createSeal(ensureSecretFile(keys.data_key_file)),
    signingKey: ensureSigningKeys(receiptKeyFile, receiptPublicPath(receiptKeyFile)),
    hasWebhook: approvals.webhook !== undefined,
  };
  const place = ledgerPlace(config);
  switch (place.kind) {
    case 'sqlite':
      return openLedger({ file: place.file, headsFile: place.headsFile, ...common });
    case 'postgres': {
      const { url, password } = place;
      return openLedger({ url, ...(password === undefined ? {} : { password }), ...common });
    }
  }
}
