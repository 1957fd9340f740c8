export {
  Setting,
  claimKey,
  keepCall,
  readKeptCall,
  readLedgerStatus,
  readSettings,
  settingsChanged,
  writeSetting,
} from './ledger.js';
export {
  AppendedReceipt,
  Receipt,
  ReceiptBody,
  ReceiptCheckpoint,
  ReceiptPosition,
  ReceiptVerification,
  appendReceipts,
  genesisHash,
  listReceipts,
  readReceipt,
  verifyReceipts,
  writeIntent,
} from './receipt.js';
