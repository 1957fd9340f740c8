import type { Problem } from './problem.js';
import type { UarConfig } from '../schema.js';

const form = 'postgres://user@host:5432/database';
const holdsPassword = 'holds a password; put it into a file and name that in ledger.password_file';

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

function urlProblems(text: string): Problem[] {
  const message = urlMessage(text);
  return message === undefined ? [] : [{ path: 'ledger.url', message }];
}

function urlMessage(text: string): string | undefined {
  if (!URL.canParse(text)) return `is no URL such as ${form}`;
  const { protocol, username, password, hostname, pathname, searchParams } = new URL(text);
  if (password !== '' || searchParams.has('password')) return holdsPassword;
  const isWhole = username !== '' && hostname !== '' && /^\/[^/]+$/.test(pathname);
  return isWhole && (protocol === 'postgres:' || protocol === 'postgresql:')
    ? undefined
    : `is no URL such as ${form}`;
}
