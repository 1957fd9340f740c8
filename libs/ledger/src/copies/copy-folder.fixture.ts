import { createPublicKey, type KeyObject } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ReceiptVerification } from '@uar/contracts';
import Database from 'better-sqlite3';
import { verifyLedgerFile } from '../chain/verify-file.js';
import { acme, ledgerFolder, receipt, startOfTime as now } from '../conformance/samples.fixture.js';
import { openEngine } from '../sqlite/engine.js';
import { SameThread } from '../thread/same-thread.js';
import { backupLedger } from './backup.js';
import { headsIn } from './ledger-copy.js';
import { restoreLedger, type RestoreOptions } from './restore.js';

/** A session that appends receipts. */
export const append =
  (count: number, tenant = acme) =>
  (ledger: SameThread) =>
    ledger.ask('appendReceipts', { receipts: Array.from({ length: count }, () => receipt({ tenant })) });

/** A folder of its own with a ledger, and the place of its copy. */
export class CopyFolder {
  private readonly folder = ledgerFolder();
  /** The ledger that is written, copied and restored. */
  options = this.folder.options;
  readonly copy = join(dirname(this.options.file), 'copy.db');

  /** The ledger in this thread: starting a worker for each would be most of the time. */
  async session<T>(write: (ledger: SameThread) => Promise<T>, hasWebhook = false): Promise<T> {
    const { file, headsFile, signingKey } = this.options;
    const ledger = new SameThread(openEngine({ file, headsFile, signingKey, hasWebhook }));
    const written = await write(ledger);
    await ledger.close();
    return written;
  }

  backup(changes: Partial<Parameters<typeof backupLedger>[0]> = {}): ReturnType<typeof backupLedger> {
    const { file, headsFile } = this.options;
    const { copy: to, publicKeys } = this;
    return backupLedger({ file, headsFile, publicKeys, to, replace: false, ...changes });
  }

  restore(changes: Partial<RestoreOptions> = {}): ReturnType<typeof restoreLedger> {
    const { file, headsFile, signingKey } = this.options;
    return restoreLedger({
      from: this.copy,
      file,
      headsFile,
      signingKey,
      acceptLoss: new Map(),
      setting: { governance: 'on', profile: 'minimal' },
      now,
      ...changes,
    });
  }

  verified(witnessed = headsIn('/none')): ReceiptVerification | undefined {
    const { file, headsFile } = this.options;
    return verifyLedgerFile({ file, headsFile, publicKeys: this.publicKeys, witnessed }).get(acme);
  }

  edit(file: string, sql: string): void {
    const database = new Database(file);
    database.exec(sql);
    database.close();
  }

  get publicKeys(): readonly KeyObject[] {
    return [createPublicKey(this.options.signingKey)];
  }

  /** What a backup or restore has begun and not taken away. */
  get leftovers(): readonly string[] {
    return readdirSync(dirname(this.copy)).filter((name) => /part|restoring/.test(name));
  }

  remove(): void {
    this.folder.remove();
  }
}
