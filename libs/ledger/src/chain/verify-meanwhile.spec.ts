import { createPublicKey } from 'node:crypto';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { acme, beta, ledgerFolder, receipt, startOfTime as now } from '../conformance/samples.fixture.js';
import type { Engine } from '../engine.js';
import { openEngine } from '../sqlite/engine.js';
import { heldChains } from '../operations/held-chains.js';
import type { Request } from '../thread/link.js';
import { KnownHeads } from './known-heads.js';
import { sqliteDriver } from '../sqlite/sqlite-driver.js';
import { verifyHeldChains } from './verify-held.js';

let folder: ReturnType<typeof ledgerFolder>;
let engine: Engine;
beforeEach(() => {
  folder = ledgerFolder();
  engine = openEngine(folder.options);
});
afterEach(() => {
  engine.close();
  folder.remove();
});

function run(request: Request): unknown {
  const [response] = engine.run([request]);
  if (response?.kind !== 'done') throw new Error(`${request.operation} failed`);
  return response.output;
}

/** As retention does it, all at once. */
function truncateBeta(through: { readonly seq: number; readonly hash: string }): void {
  const of = receipt({ kind: 'admin', tenant: beta, action: 'receipts.truncate' });
  const input = { through: { tenant: beta, ...through }, receipt: of };
  run({ id: 2, operation: 'truncateReceipts', input });
  expect(run({ id: 3, operation: 'sweepReceipts', input: { tenant: beta, limit: 100 } })).toBe(through.seq);
}

it('finds no hole where receipts are removed while the chain of another tenant is walked', () => {
  const at = new Date(now).toISOString();
  const receipts = [acme, beta].flatMap((tenant) => Array.from({ length: 6 }, () => receipt({ at, tenant })));
  run({ id: 1, operation: 'appendReceipts', input: { receipts } });
  const file = new Database(folder.options.file, { readonly: true });
  const database = sqliteDriver(file);
  const publicKeys = [createPublicKey(folder.options.signingKey)];
  const { lengths, headLines, hashAt } = heldChains(database);
  const through = { seq: 4, hash: hashAt(beta, 4) ?? '' };
  const heads = new KnownHeads({ headsFile: folder.options.headsFile, publicKeys }, headLines);
  const headsOf = heads.of.bind(heads);
  vi.spyOn(heads, 'of').mockImplementation((tenant) => {
    // Asked for when it is this chain's turn: that of acme was walked.
    if (tenant === beta) truncateBeta(through);
    return headsOf(tenant);
  });
  const chains = verifyHeldChains(database, { heads, publicKeys, lengths });
  database.close();
  expect(chains.get(acme)).toMatchObject({ ok: true, length: 6 });
  expect(chains.get(beta)).toMatchObject({ ok: true, length: 7, walked_from: 5 });
});
