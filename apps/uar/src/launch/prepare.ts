import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ResolvedConfig } from '@uar/config';
import { ensureSecretFile, ensureSigningKeys, receiptPublicPath } from '@uar/keys';

/** Makes what is missing: the data folder (0700) and the keys of the services. Throws what the file system throws. */
export function prepareDataFolder(config: ResolvedConfig): void {
  mkdirSync(config.data_dir, { recursive: true, mode: 0o700 });
  chmodSync(config.data_dir, 0o700);
  const { data_key_file, grant_private_file, grant_public_file, receipt_private_file, state_key_file } =
    config.keys;
  ensureSecretFile(data_key_file);
  ensureSecretFile(state_key_file);
  ensureSigningKeys(grant_private_file, grant_public_file);
  ensureSigningKeys(receipt_private_file, receiptPublicPath(receipt_private_file));
}

/** What lives only as long as a launcher: passwords and configuration of its nats-server. */
export function runFolder(dataDir: string): string {
  return join(dataDir, 'run');
}

export function removeRunFolder(dataDir: string): void {
  rmSync(runFolder(dataDir), { recursive: true, force: true });
}
