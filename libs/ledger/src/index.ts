export {
  type ApprovalCreation,
  type ApprovalMove,
  type ApprovalPlace,
  type ApprovalRecord,
  type AppendEvents,
  type CreateApproval,
  type Ledger,
  type MoveApproval,
  type RecordVote,
  type VoteRecord,
  type VoteRecording,
} from './ledger.js';
export { type Deliveries, type DeliveryRecord, type DueDelivery } from './deliveries.js';
export { LedgerError, type LedgerErrorKind } from './ledger-error.js';
export {
  openLedger,
  type FileLedgerOptions,
  type LedgerOptions,
  type PostgresLedgerOptions,
} from './open-ledger.js';
export { verifyChain, type ChainClaim, type FoundReceipt } from './chain/verify-chain.js';
export { verifyExportFile, verifyLedgerFile } from './chain/verify-file.js';
export type { Verifications } from './chain/verify-held.js';
export { SignedHead } from './chain/signed-head.js';
export { backupLedger, type Backup } from './copies/backup.js';
export { checkLedger } from './copies/check.js';
export type { CopyProgress } from './copies/ledger-copy.js';
export type { LostTail } from './copies/lost-tail.js';
export { restoreLedger } from './copies/restore.js';
