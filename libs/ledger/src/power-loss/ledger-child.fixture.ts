import { openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { readPrivateKey } from '@uar/keys';
import Database from 'better-sqlite3';
import { draft, principal, receipt, startOfTime as now } from '../conformance/samples.fixture.js';
import { SameThread } from '../thread/same-thread.js';
import { openEngine } from '../sqlite/engine.js';
import type { Acknowledged } from './crashed-files.fixture.js';

// A process of its own: the engine of the ledger, written to as the product does, every answer written into `acks` behind
// the operations it followed; then it kills itself. Another `synchronous` than FULL is a ledger broken on purpose.
const [folder, keyFile, synchronous, rounds] = process.argv.slice(2);
if (!folder || !keyFile || !synchronous || !rounds)
  throw new Error('usage: child <folder> <key> <sync> <rounds>');

if (synchronous !== 'FULL') {
  const { pragma } = Database.prototype;
  Database.prototype.pragma = function broken(source, options) {
    return pragma.call(this, source.replace('synchronous = FULL', `synchronous = ${synchronous}`), options);
  };
}

const ledger = new SameThread(
  openEngine({
    file: join(folder, 'ledger.db'),
    headsFile: join(folder, 'heads.jsonl'),
    signingKey: readPrivateKey(keyFile),
  }),
);
const acks = openSync(join(folder, 'acks'), 'a');

function acknowledge(what: Acknowledged): void {
  writeSync(acks, `${JSON.stringify(what)}\n`);
}

async function approve(): Promise<void> {
  const limits = { maxPending: 1_000, maxNewPerMinute: 1_000 };
  const created = await ledger.ask('createApproval', { draft: draft(), limits, now });
  if (created.kind !== 'created') throw new Error(created.kind);
  const { approval_id: approvalId, call_id, arguments_digest, tool } = created.approval.draft;
  acknowledge({ kind: 'approval', approvalId, status: 'pending' });
  const vote = { voter: principal('sam'), decision: 'approve' as const };
  const counted = await ledger.ask('recordVote', {
    approvalId,
    vote,
    receipt: receipt({ kind: 'admin' }),
    to: 'approved',
    now,
  });
  if (counted.kind !== 'counted') throw new Error(counted.kind);
  acknowledge({ kind: 'approval', approvalId, status: 'approved' });
  const consumed = await ledger.ask('consumeApproval', {
    approval_id: approvalId,
    call_id,
    arguments_digest,
    definition_digest: tool.definition_digest,
    intent: receipt({ kind: 'intent', call_id, approval_id: approvalId }),
    now,
  });
  if (consumed.kind !== 'consumed') throw new Error(consumed.kind);
  acknowledge({ kind: 'approval', approvalId, status: 'consumed' });
}

for (let round = 0; round < Number(rounds); round += 1) {
  const group = Array.from({ length: 1 + (round % 3) }, () =>
    ledger.ask('appendReceipts', { receipts: [receipt()] }),
  );
  for (const [position] of await Promise.all(group))
    if (position) acknowledge({ kind: 'receipt', seq: position.seq, hash: position.hash });
  if (round % 3 === 0) await approve();
  // Lets what runs beside, such as the sync of heads, come to its end.
  await new Promise((resolve) => setImmediate(resolve));
}
process.kill(process.pid, 'SIGKILL');
