import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSecretFile } from '@uar/keys';
import { readPostgresUrl } from '@uar/postgres-url';
import type { Problem } from '../check/problem.js';
import type { ResolvedConfig } from './resolve.js';
import type { UarConfig } from '../schema.js';
import { whyUnreadable } from './unreadable.js';

/** Where the record is kept. */
export type LedgerPlace =
  | { readonly kind: 'sqlite'; readonly file: string; readonly headsFile: string }
  /** `password`: absent where the server asks for none. */
  | { readonly kind: 'postgres'; readonly url: string; readonly password?: string };

/** Problems of the files that only who opens the ledger reads. */
export function ledgerFileProblems({ ledger }: UarConfig): Problem[] {
  return [...passwordProblems(ledger.password_file), ...certificateProblems(ledger.url)];
}

function passwordProblems(file: string | undefined): Problem[] {
  const path = 'ledger.password_file';
  if (file === undefined) return [];
  try {
    return passwordIn(file) === '' ? [{ path, message: `${file} is empty` }] : [];
  } catch (error) {
    return [{ path, message: `${file} ${whyUnreadable(error)}` }];
  }
}

/** The path is a part of the URL, which is not repeated. */
function certificateProblems(url: string | undefined): Problem[] {
  const read = url === undefined ? undefined : readPostgresUrl(url);
  if (read?.kind !== 'place') return [];
  const { sslMode, rootCertificates } = read.place;
  if (sslMode === 'disable' || rootCertificates === undefined) return [];
  try {
    readFileSync(rootCertificates);
    return [];
  } catch (error) {
    return [{ path: 'ledger.url', message: `names an sslrootcert that ${whyUnreadable(error)}` }];
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
