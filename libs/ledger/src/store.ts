import type { Ledger } from './ledger.js';

/** The ledger's methods that are operations on the database; the others act on the ledger as a whole. */
export type Operation = Exclude<keyof Ledger, 'verifyReceipts' | 'close'>;

export type Input<K extends Operation> = Parameters<Ledger[K]>[0];
export type Output<K extends Operation> = Awaited<ReturnType<Ledger[K]>>;

/** The same operations, synchronous, inside whatever transaction is open. */
export type Store = { readonly [K in Operation]: (input: Input<K>) => Output<K> };

/** Which operations write: they go through the group commit, the others read what is committed. */
export const writes: Readonly<Record<Operation, boolean>> = {
  readSettings: false,
  writeSetting: true,
  readAccount: false,
  writeAccount: true,
  leaseAccount: true,
  keepAuthorization: true,
  takeAuthorization: true,
  keepCall: true,
  readKeptCall: false,
  claimKey: true,
  takeQuota: true,
  putRun: true,
  readRun: false,
  nextRunEnd: false,
  endDueRuns: true,
  appendEvents: true,
  readEvents: false,
  purgeExpired: true,
  recordDecisions: true,
  readDecisions: false,
  openGateways: false,
  closeOpenCalls: true,
  readPendingViews: false,
  endPendingView: true,
  createApproval: true,
  readApproval: false,
  listApprovals: false,
  recordVote: true,
  moveApproval: true,
  consumeApproval: true,
  expireApprovals: true,
  nextExpiry: false,
  dueDeliveries: false,
  endAttempt: true,
  listDeliveries: false,
  retryDelivery: true,
  writeIntent: true,
  appendReceipts: true,
  listReceipts: false,
  readReceipt: false,
  agedChains: false,
  walkAged: false,
  truncateReceipts: true,
  sweepReceipts: true,
  probe: true,
};
