import type { Receipt, ReceiptBody } from '@uar/contracts';
import type { SqlDatabase } from '../sql/database.js';
import { membersOf } from '../sql/members.js';

export interface WrittenOutcomes {
  of(tenant: string, callId: string): Receipt | undefined;
  /** Looks up at once what will be asked about these. */
  foresee(bodies: readonly ReceiptBody[]): void;
  wrote(receipt: Receipt): void;
  /** What was foreseen holds for one transaction. */
  forget(): void;
}

/** Whoever did not hear our answer asks again: a call has one outcome receipt, keeps the first, and does not begin anew. */
export function writtenOutcomes(database: SqlDatabase): WrittenOutcomes {
  const find = database.prepare<[string, string], { receipt: string }>(
    'SELECT receipt FROM receipts WHERE tenant = ? AND ended_call = ?',
  );
  const findAll = database.prepare<
    { tenant: string; calls: string },
    { ended_call: string; receipt: string }
  >(
    `SELECT ended_call, receipt FROM receipts
     WHERE tenant = @tenant AND ended_call IN (SELECT value FROM ${membersOf(database, 'calls')})`,
  );
  const foreseen = new Map<string, Receipt | undefined>();
  return {
    of: (tenant, callId) => {
      const key = keyOf(tenant, callId);
      if (foreseen.has(key)) return foreseen.get(key);
      const row = find.get(tenant, callId);
      return row && JSON.parse(row.receipt);
    },
    foresee: (bodies) => {
      for (const [tenant, calls] of callsByTenant(bodies)) {
        // One alone is looked up as it comes.
        if (calls.size === 1) continue;
        for (const callId of calls) foreseen.set(keyOf(tenant, callId), undefined);
        for (const row of findAll.all({ tenant, calls: JSON.stringify([...calls]) }))
          foreseen.set(keyOf(tenant, row.ended_call), JSON.parse(row.receipt));
      }
    },
    wrote: (receipt) => {
      const { kind, tenant, call_id: callId } = receipt;
      if (kind !== 'outcome' || callId === undefined) return;
      const key = keyOf(tenant, callId);
      if (foreseen.has(key)) foreseen.set(key, receipt);
    },
    forget: () => foreseen.clear(),
  };
}

function callsByTenant(bodies: readonly ReceiptBody[]): ReadonlyMap<string, ReadonlySet<string>> {
  const calls = new Map<string, Set<string>>();
  for (const { kind, tenant, call_id: callId } of bodies) {
    if (kind === 'admin' || callId === undefined) continue;
    const known = calls.get(tenant) ?? new Set();
    calls.set(tenant, known.add(callId));
  }
  return calls;
}

function keyOf(tenant: string, callId: string): string {
  return `${tenant} ${callId}`;
}
