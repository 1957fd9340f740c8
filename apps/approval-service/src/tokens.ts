/** Injection token of whoever is told of approvals. */
export const ANNOUNCER = Symbol('approval-service.announcer');

/** Injection token of whoever sends messages to the webhook. */
export const COURIER = Symbol('approval-service.courier');

/** Injection token of the lead among replicas. */
export const LEADERSHIP = Symbol('approval-service.leadership');

/** Injection token of the one ledger. */
export const LEDGER = Symbol('approval-service.ledger');
/** Injection token of the timer that notes the end of runs. */
export const RUN_ENDS = Symbol('approval-service.run-ends');
