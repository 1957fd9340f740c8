/**
 * `unavailable`: nothing was written, it may work later · `locked`: another process has the file open · `corrupt`: the file
 * fails its integrity check · `too_new`: written by a later version of this software.
 */
export type LedgerErrorKind = 'unavailable' | 'locked' | 'corrupt' | 'too_new';

export class LedgerError extends Error {
  override readonly name = 'LedgerError';

  constructor(
    readonly kind: LedgerErrorKind,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
