import { LedgerError, type LedgerErrorKind } from '../ledger-error.js';
import type { CommandFailure } from './client/client-messages.js';

/** A statement that Postgres refuses for what it says: a bug of ours. */
export class PostgresError extends Error {
  override readonly name = 'PostgresError';

  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/**
 * SQLSTATE classes and codes that speak of the server, its disk or other transactions, not of the statement: connection,
 * resources, intervention of an operator, system; authorization and a database that is not there, at a connection that is
 * made anew; a read-only server, locks, serialization, deadlock.
 */
const ofTheWorld = /^(?:08|53|57|58|28|3D)|^(?:25006|25P03|55P03|40001|40P01|26000)$/;
const ofDamage = /^XX00[12]$/;

/** A right that the user has not. */
const insufficientPrivilege = '42501';

/** `where`: name of the ledger, for the message. */
export function errorOf(
  { code, message, isLost }: CommandFailure,
  where: string,
): LedgerError | PostgresError {
  if (code === insufficientPrivilege) return withoutRight(message, where);
  const kind = kindOf(code, isLost);
  if (kind === undefined) return new PostgresError(code ?? '', message);
  const said = code === undefined ? message : `${message} (${code})`;
  if (kind === 'corrupt') return new LedgerError(kind, `the ledger at ${where} is damaged: ${said}`);
  return new LedgerError(kind, `the ledger at ${where} is not available: ${said}`);
}

function withoutRight(message: string, where: string): LedgerError {
  const rights =
    'USAGE and CREATE on its schema (GRANT), and SELECT, INSERT, UPDATE and DELETE in its tables';
  return new LedgerError(
    'unavailable',
    `the user of the ledger at ${where} lacks a right: ${message}. It needs ${rights}.`,
  );
}

function kindOf(code: string | undefined, isLost: boolean): LedgerErrorKind | undefined {
  if (code !== undefined && ofDamage.test(code)) return 'corrupt';
  return isLost || code === undefined || ofTheWorld.test(code) ? 'unavailable' : undefined;
}
