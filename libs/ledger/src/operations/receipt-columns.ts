import type { Receipt } from '@uar/contracts';

/** What of a receipt stands beside it in columns, to be looked for. SQLite reads them out of its text; Postgres is given them. */
export const receiptColumns = ['at', 'principal', 'outcome', 'server', 'raw_name', 'ended_call'] as const;

export type ReceiptColumns = Readonly<Record<(typeof receiptColumns)[number], string | null>>;

export function columnsOf({ at, principal, outcome, tool, kind, call_id }: Partial<Receipt>): ReceiptColumns {
  return {
    at: at ?? null,
    principal: principal ?? null,
    outcome: outcome ?? null,
    server: tool?.server ?? null,
    raw_name: tool?.raw_name ?? null,
    ended_call: (kind === 'outcome' ? call_id : undefined) ?? null,
  };
}
