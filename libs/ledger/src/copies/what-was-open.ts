import type Database from 'better-sqlite3';

/** More events than a tenant has between two backups. */
const placesOfLostTime = 1_000_000;

const isOpen = `status IN ('pending', 'approved')`;

/**
 * Ends what was open in a backup that takes the place of a ledger, of the newest schema, and lets no number be given twice.
 * `tenants`: all that are known, those of the lost time too. To be called in a transaction.
 */
export function endWhatWasOpen(
  database: Database.Database,
  { tenants, now }: { readonly tenants: readonly string[]; readonly now: number },
): void {
  turnMessages(database, now);
  database.prepare(`UPDATE approvals SET status = 'channel_closed', changed_at = ? WHERE ${isOpen}`).run(now);
  raisePlaces(database, tenants);
}

/** Nobody is asked about what is over; whoever was asked, or may have been since, is told the end. */
function turnMessages(database: Database.Database, now: number): void {
  const problem = 'a restore has ended the approval';
  database
    .prepare(
      `UPDATE deliveries SET status = 'dead', ended_at = ?, problem = ?
       WHERE status = 'pending' AND approval_id IN (SELECT approval_id FROM approvals WHERE ${isOpen})`,
    )
    .run(now, problem);
  database
    .prepare(
      `INSERT INTO deliveries (delivery_id, tenant, approval_id, event, approval_status, status, attempts, created_at, due_at)
       SELECT 'whk_' || lower(hex(randomblob(16))), tenant, approval_id, 'approval.settled', 'channel_closed', 'pending', 0, @now, @now
       FROM approvals WHERE ${isOpen}
         AND approval_id IN (SELECT approval_id FROM deliveries WHERE event = 'approval.required')
       ORDER BY created_at, approval_id`,
    )
    .run({ now });
}

/** Subscribers hold places of the lost time: what comes goes on above them, and the step shows as a gap. */
function raisePlaces(database: Database.Database, tenants: readonly string[]): void {
  const known = database.prepare('INSERT INTO event_tenants VALUES (?, 0, 0, 0) ON CONFLICT DO NOTHING');
  for (const tenant of tenants) known.run(tenant);
  database
    .prepare(
      'UPDATE event_tenants SET position = position + @step, dropped = position + @step, floor = floor + @step',
    )
    .run({ step: placesOfLostTime });
  database.prepare('UPDATE event_runs SET seq = seq + ?').run(placesOfLostTime);
}
