import { createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  acme,
  beta,
  draft,
  ledgerFolder,
  receipt,
  startOfTime as now,
} from '../conformance/samples.fixture.js';
import { SameThread } from '../thread/same-thread.js';
import { openEngine } from '../sqlite/engine.js';
import { backupLedger } from './backup.js';
import { restoreLedger, type RestoreOptions } from './restore.js';

let folder: ReturnType<typeof ledgerFolder>;
let to: string;
beforeEach(() => {
  folder = ledgerFolder();
  to = join(dirname(folder.options.file), 'copy.db');
});
afterEach(() => folder.remove());

/** The ledger in this thread: starting a worker for each would be most of the time. */
async function session<T>(write: (ledger: SameThread) => Promise<T>, hasWebhook = false): Promise<T> {
  const { file, headsFile, signingKey } = folder.options;
  const ledger = new SameThread(openEngine({ file, headsFile, signingKey, hasWebhook }));
  const written = await write(ledger);
  await ledger.close();
  return written;
}

const append =
  (count: number, tenant = acme) =>
  (ledger: SameThread) =>
    ledger.ask('appendReceipts', { receipts: Array.from({ length: count }, () => receipt({ tenant })) });

function backup() {
  const { file, headsFile, signingKey } = folder.options;
  return backupLedger({ file, headsFile, publicKeys: [createPublicKey(signingKey)], to, replace: false });
}

function restore(changes: Partial<RestoreOptions> = {}) {
  const { file, headsFile, signingKey } = folder.options;
  const setting = { governance: 'on', profile: 'minimal' } as const;
  return restoreLedger({
    from: to,
    file,
    headsFile,
    signingKey,
    acceptLoss: new Map(),
    setting,
    now,
    ...changes,
  });
}

function edit(sql: string): void {
  const copy = new Database(to);
  copy.exec(sql);
  copy.close();
}

const shown = 'planted-in-a-preview';
const limits = { maxPending: 9, maxNewPerMinute: 9 };
const ask = (changes: Parameters<typeof draft>[0] = {}) => ({ draft: draft(changes), limits, now });
const holds = (path: string) => readFileSync(path).includes(shown);

describe('previews of arguments', () => {
  beforeEach(() =>
    session(async (ledger) => {
      await append(1)(ledger);
      await ledger.ask('createApproval', ask({ arguments_preview: `{"path":"${shown}"}` }));
    }),
  );

  it('are not in a backup: a restore ends every approval that needs one', async () => {
    expect(holds(folder.options.file)).toBe(true);
    await backup();
    expect(holds(to)).toBe(false);
    expect(holds(folder.options.file)).toBe(true);
  });

  it('that are in an older backup are not in what is restored from it', async () => {
    await backup();
    edit(`INSERT OR REPLACE INTO approval_previews SELECT approval_id, '${shown}' FROM approvals`);
    expect(holds(to)).toBe(true);
    const done = restore();
    expect(done).toMatchObject({ kind: 'restored' });
    expect(holds(folder.options.file)).toBe(false);
  });
});
