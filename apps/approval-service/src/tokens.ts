/** Injection token of the one ledger. */
export const LEDGER = Symbol('approval-service.ledger');
