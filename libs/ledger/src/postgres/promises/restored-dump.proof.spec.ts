import { spawnSync } from 'node:child_process';
import { createPublicKey } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryDir, sharedPostgresDatabase, type PostgresDatabase } from '@uar/testkit';
import { expect, it } from 'vitest';
import { acme, draft, receipt, startOfTime as now } from '../../conformance/samples.fixture.js';
import { backupLedger } from '../../copies/backup.js';
import { checkLedger } from '../../copies/check.js';
import { restoreLedger } from '../../copies/restore.js';
import { openLedger } from '../../open-ledger.js';
import { optionsIn, query, withPostgres } from './postgres.fixture.js';

const hasTools = spawnSync('pg_dump', ['--version']).status === 0;

/** What docs/ledger.md says is to be run after a restore. */
function documented(): string {
  const text = readFileSync(join(repositoryDir, 'docs/ledger.md'), 'utf8');
  const sql = text.split('```sql\n').at(-1)?.split('```')[0];
  if (sql === undefined || !sql.startsWith('BEGIN')) throw new Error('docs/ledger.md does not say it');
  return sql;
}

function run(program: string, args: readonly string[], { password }: PostgresDatabase): void {
  const env = { ...process.env, PGPASSWORD: password };
  const done = spawnSync(program, args, { env, encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`${program}: ${done.stderr}`);
}

withPostgres('a dump of a ledger in Postgres', () => {
  it.skipIf(!hasTools)('restores to a ledger that is whole, and in which nothing is used twice', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'uar-dump-'));
    const before = await sharedPostgresDatabase();
    const options = { ...optionsIn(before), hasWebhook: true };
    const ledger = await openLedger(options);
    await ledger.appendReceipts({ receipts: Array.from({ length: 5 }, () => receipt()) });
    const asked = draft();
    await ledger.createApproval({ draft: asked, limits: { maxPending: 9, maxNewPerMinute: 9 }, now });
    const { approval_id: approvalId, call_id, arguments_digest, tool } = asked;
    await ledger.moveApproval({ approvalId, from: ['pending'], to: 'approved', when: 'live', now });
    const file = join(folder, 'uar.dump');
    run('pg_dump', ['--format=custom', `--file=${file}`, before.url], before);
    await ledger.close();

    const after = await sharedPostgresDatabase();
    run('pg_restore', ['--exit-on-error', `--dbname=${after.url}`, file], after);
    rmSync(folder, { recursive: true });
    await query(after, documented());
    const restored = { ...options, ...after };
    const { chains } = checkLedger({ ...restored, publicKeys: [createPublicKey(options.signingKey)] });
    expect(chains.get(acme)).toMatchObject({ ok: true, length: 5 });
    const again = await openLedger(restored);
    const intent = receipt({ kind: 'intent', call_id });
    const digests = { arguments_digest, definition_digest: tool.definition_digest };
    const consumed = again.consumeApproval({ approval_id: approvalId, call_id, ...digests, intent, now });
    expect(await consumed).toEqual({ kind: 'refused', status: 'channel_closed' });
    expect((await again.readApproval({ approvalId }))?.draft.arguments_preview).toBe('');
    const told = await again.listDeliveries({ tenant: acme, limit: 10 });
    expect(told.map(({ approvalStatus, status }) => [approvalStatus, status])).toEqual([
      ['channel_closed', 'pending'],
      ['approved', 'dead'],
      ['pending', 'dead'],
    ]);
    expect(await again.appendReceipts({ receipts: [receipt()] })).toMatchObject([{ seq: 6 }]);
    await again.close();
  });

  it('is made and restored with the tools of Postgres, which the commands for files say', async () => {
    const where = { url: 'postgres://uar@127.0.0.1/plane' };
    await expect(backupLedger(where)).rejects.toThrow('pg_dump');
    expect(() => restoreLedger(where)).toThrow('pg_restore');
  });
});
