import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { UarConfig } from '@uar/config';
import { createSeal, ensureSecretFile, ensureSigningKeys, receiptPublicPath } from '@uar/keys';
import { openLedger, type Ledger } from '@uar/ledger';

/** The ledger of this deployment. Makes the data folder (0700) and keys that are not there yet. */
export function openServiceLedger({ data_dir, ledger, keys, approvals }: UarConfig): Promise<Ledger> {
  mkdirSync(data_dir, { recursive: true, mode: 0o700 });
  chmodSync(data_dir, 0o700);
  const dataKeyFile = keys.data_key_file ?? join(data_dir, 'keys/data.key');
  const receiptKeyFile = keys.receipt_private_file ?? join(data_dir, 'keys/receipts.key');
  return openLedger({
    file: join(data_dir, ledger.file),
    headsFile: join(data_dir, 'heads.jsonl'),
    seal: createSeal(ensureSecretFile(dataKeyFile)),
    signingKey: ensureSigningKeys(receiptKeyFile, receiptPublicPath(receiptKeyFile)),
    hasWebhook: approvals.webhook !== undefined,
  });
}
