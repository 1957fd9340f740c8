import { join } from 'node:path';
import { readSecretFile } from '@uar/keys';
import type { Problem } from '../check/problem.js';
import type { ResolvedConfig } from './resolve.js';
import type { UarConfig } from '../schema.js';

/** Where the record is kept. */
export type LedgerPlace =
  | { readonly kind: 'sqlite'; readonly file: string; readonly headsFile: string }
  /** `password`: absent where the server asks for none. */
  | { readonly kind: 'postgres'; readonly url: string; readonly password?: string };

/** Problems of the file that only who opens the ledger reads. */
export function ledgerPasswordProblems({ ledger }: UarConfig): Problem[] {
  const path = 'ledger.password_file';
  const file = ledger.password_file;
  if (file === undefined) return [];
  try {
    return passwordIn(file) === '' ? [{ path, message: `${file} is empty` }] : [];
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    const message = code === 'ENOENT' ? `${file} does not exist` : `${file} cannot be read (${code})`;
    return [{ path, message }];
  }
}

/** Throws what `readFileSync` throws where the password's file cannot be read. */
export function ledgerPlace({ ledger, data_dir }: Pick<ResolvedConfig, 'ledger' | 'data_dir'>): LedgerPlace {
  const { file = 'ledger.db', url, password_file } = ledger;
  if (url === undefined)
    return { kind: 'sqlite', file: join(data_dir, file), headsFile: join(data_dir, 'heads.jsonl') };
  return password_file === undefined
    ? { kind: 'postgres', url }
    : { kind: 'postgres', url, password: passwordIn(password_file) };
}

function passwordIn(file: string): string {
  return readSecretFile(file).trim();
}
