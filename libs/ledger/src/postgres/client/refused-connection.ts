/** The server answers, and is none that a ledger may be kept in. */
export class RefusedConnection extends Error {
  override readonly name = 'RefusedConnection';
}
