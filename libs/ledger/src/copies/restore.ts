import { createPublicKey, type KeyObject } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { ReceiptCheckpoint, TenantId, type ReceiptBody } from '@uar/contracts';
import { verifyLedgerFile } from '../chain/verify-file.js';
import type { Verifications } from '../chain/verify-held.js';
import type { SignedHead } from '../chain/signed-head.js';
import { LedgerError } from '../ledger-error.js';
import { openEngine } from '../sqlite/engine.js';
import { heldChains } from '../operations/held-chains.js';
import { sqliteDriver } from '../sqlite/sqlite-driver.js';
import { openDatabase } from '../sqlite/opening/database.js';
import { takeLock } from '../sqlite/opening/instance-lock.js';
import {
  checkPages,
  headsIn,
  refuseBroken,
  stampOf,
  unstampBackup,
  verifyBackup,
  withLedger,
  type CopyProgress,
} from './ledger-copy.js';
import { lostTails, type LostTail } from './lost-tail.js';
import { replaceKeeping } from './place-file.js';
import type { PostgresAccess } from '../postgres/engine.js';
import { copiedByServer } from './server-copies.js';
import { endWhatWasOpen } from './what-was-open.js';

export interface RestoreOptions {
  /** The backup; it stays as it is. */
  readonly from: string;
  readonly file: string;
  readonly headsFile: string;
  readonly signingKey: KeyObject;
  /** Tenant -> how many of its receipts the caller gives up; it has to be all that are lost, and no other number. */
  readonly acceptLoss: ReadonlyMap<string, number>;
  readonly setting: Pick<ReceiptBody, 'governance' | 'profile'>;
  /** Epoch milliseconds. */
  readonly now: number;
  progress?(step: CopyProgress): void;
}

export type Restoration =
  | {
      readonly kind: 'restored';
      readonly backupAt: string;
      readonly lost: readonly LostTail[];
      /** Where the replaced files are now. */
      readonly kept: readonly string[];
      readonly chains: Verifications;
    }
  /** Nothing was changed: what would be lost was not accepted, or not exactly. */
  | { readonly kind: 'would_lose'; readonly backupAt: string; readonly lost: readonly LostTail[] };

interface Examined {
  readonly backupAt: string;
  readonly lost: readonly LostTail[];
  /** Signed heads, those of the backup and those known here, that its chains contain. */
  readonly heads: readonly SignedHead[];
  readonly tenants: readonly string[];
}

/**
 * Puts a backup in the place of the ledger, which must not be in use; what was there keeps its contents beside. Every chain
 * gets a receipt of it, and a chain that loses its end says which. Approvals that were open end, and the webhook is told:
 * whoever waited for them is gone, and one that was consumed after the backup must not be consumed again. Throws `LedgerError` (`locked`, `corrupt`,
 * `too_new`, `unavailable`) or what the file system says; up to the moment when the files change places nothing is changed.
 */
export function restoreLedger(asked: RestoreOptions | PostgresAccess): Restoration {
  if ('url' in asked) throw copiedByServer('restored');
  // The lock of a ledger stands beside the file itself, by whatever link it is named.
  const options = { ...asked, file: existsSync(asked.file) ? realpathSync(asked.file) : asked.file };
  const { file, headsFile } = options;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const lock = takeLock(file);
  const draft = { file: `${file}.restoring`, headsFile: `${headsFile}.restoring` };
  try {
    const found = examine(options);
    const { backupAt, lost } = found;
    if (!isAccepted(lost, options.acceptLoss)) return { kind: 'would_lose', backupAt, lost };
    removeDraft(draft);
    prepare(options, found, draft);
    const chains = verifyLedgerFile({ ...draft, publicKeys: [createPublicKey(options.signingKey)] });
    refuseBroken(options.from, chains);
    return { kind: 'restored', backupAt, lost, kept: swap(options, draft), chains };
  } finally {
    removeDraft(draft);
    lock.release();
  }
}

function examine({ from, file, headsFile, signingKey, progress }: RestoreOptions): Examined {
  return withLedger(from, (backup) => {
    checkPages(backup);
    const stamp = stampOf(backup);
    if (!stamp)
      throw new LedgerError('corrupt', `${from} is a ledger, but was not made by uar ledger backup.`);
    progress?.({ kind: 'verifying' });
    refuseBroken(from, verifyBackup(backup, stamp.heads, [createPublicKey(signingKey)]));
    const held = heldChains(sqliteDriver(backup));
    const here = headsIn(headsFile);
    const lengthOf = (tenant: string) => held.lengths.get(tenant) ?? 0;
    const removedThrough = (tenant: string) =>
      ReceiptCheckpoint.safeParse(held.checkpoints.get(tenant)).data?.through_seq ?? 0;
    const lost = lostTails({ file, heads: here }, { lengthOf, removedThrough, hashAt: held.hashAt });
    const heads = [
      ...stamp.heads,
      ...here.filter(({ tenant, seq, hash }) => held.hashAt(tenant, seq) === hash),
    ];
    const tenants = new Set([...held.lengths.keys(), ...lost.map(({ tenant }) => tenant)]);
    return { backupAt: stamp.at, lost, heads: distinct(heads), tenants: [...tenants].sort() };
  });
}

function distinct(heads: readonly SignedHead[]): readonly SignedHead[] {
  const lines = new Map(heads.map((head) => [JSON.stringify([head.tenant, head.seq]), head]));
  return [...lines.values()].sort((a, b) => a.seq - b.seq);
}

function isAccepted(lost: readonly LostTail[], accepted: ReadonlyMap<string, number>): boolean {
  return lost.length === accepted.size && lost.every(({ tenant, count }) => accepted.get(tenant) === count);
}

interface Draft {
  readonly file: string;
  readonly headsFile: string;
}

function prepare(options: RestoreOptions, found: Examined, draft: Draft): void {
  copyFileSync(options.from, draft.file);
  chmodSync(draft.file, 0o600);
  writeFileSync(draft.headsFile, found.heads.map((head) => `${JSON.stringify(head)}\n`).join(''), {
    mode: 0o600,
  });
  // Migrated, and with `secure_delete`: a backup may be of an earlier schema, and have previews of arguments.
  const database = openDatabase({ file: draft.file });
  database.transaction(() => {
    unstampBackup(database);
    database.prepare('UPDATE heads_written SET lines = ?').run(found.heads.length);
    endWhatWasOpen(database, { tenants: found.tenants, now: options.now });
  })();
  database.close();
  const engine = openEngine({ ...draft, signingKey: options.signingKey });
  const receipts = found.tenants.map((tenant) => receiptOf(tenant, options, found));
  const requests = receipts.map((receipt, id) => ({
    id,
    operation: 'appendReceipts' as const,
    input: { receipts: [receipt] },
  }));
  const responses = engine.run(requests);
  engine.close();
  const failed = responses.find((response) => response.kind === 'failed');
  if (failed?.kind === 'failed') throw new LedgerError('unavailable', failed.message);
}

function receiptOf(tenant: string, { setting, now }: RestoreOptions, found: Examined): ReceiptBody {
  const tail = found.lost.find((each) => each.tenant === tenant);
  const loss = tail === undefined ? '' : `; receipts ${tail.from} to ${tail.through} were given up`;
  return {
    at: new Date(now).toISOString(),
    kind: 'admin',
    tenant: TenantId.parse(tenant),
    principal: 'System::"ledger"',
    ...setting,
    action: 'ledger.restore',
    cause: `the backup of ${found.backupAt}${loss}`,
  };
}

/**
 * The log of the old ledger leaves first: over another file it would be taken for that one's. A stop in between leaves a
 * ledger that does not fit its heads, which no start accepts, and the restore can be asked for again.
 */
function swap({ file, headsFile, now }: RestoreOptions, draft: Draft): readonly string[] {
  const aside = (path: string) => `${path}.replaced-${new Date(now).toISOString().replace(/[:.]/g, '-')}`;
  const kept: string[] = [];
  // The log is named like its ledger, so that both can be opened again; its index is made anew by whoever opens them.
  if ((statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) {
    renameSync(`${file}-wal`, `${aside(file)}-wal`);
    kept.push(`${aside(file)}-wal`);
  }
  for (const suffix of ['-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true });
  if (replaceKeeping(draft.file, file, aside(file))) kept.push(aside(file));
  if (replaceKeeping(draft.headsFile, headsFile, aside(headsFile))) kept.push(aside(headsFile));
  return kept.sort();
}

function removeDraft({ file, headsFile }: Draft): void {
  for (const suffix of ['', '-wal', '-shm', '.lock', '.lock-journal'])
    rmSync(`${file}${suffix}`, { force: true });
  rmSync(headsFile, { force: true });
}
