/** Whether this process does what only one at a time may do. */
export interface Leadership {
  /** True also while another process may be about to take over: what is done then must be safe twice. */
  leads(): boolean;
  /** Whether others write to the same ledger, so that the leader has to look for what they wrote. */
  readonly hasRivals: boolean;
}

/** Nobody else has the ledger. */
export const alone: Leadership = { leads: () => true, hasRivals: false };
