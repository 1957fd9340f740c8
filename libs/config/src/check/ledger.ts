import { readPostgresUrl } from '@uar/postgres-url';
import type { Problem } from './problem.js';
import type { UarConfig } from '../schema.js';

/** Whether the record is one SQLite file or one PostgreSQL database. No message repeats what was written. */
export function ledgerProblems({ ledger }: UarConfig): Problem[] {
  const { file, url, password_file } = ledger;
  if (url === undefined)
    return password_file === undefined
      ? []
      : [{ path: 'ledger.password_file', message: 'is for ledger.url, and there is none' }];
  const both = { path: 'ledger', message: 'file and url exclude each other' };
  return [...(file === undefined ? [] : [both]), ...urlProblems(url)];
}

function urlProblems(url: string): Problem[] {
  const read = readPostgresUrl(url);
  if (read.kind === 'place') return [];
  const wayOut =
    read.kind === 'holds_password' ? '; put it into a file and name that in ledger.password_file' : '';
  return [{ path: 'ledger.url', message: `${read.problem}${wayOut}` }];
}
