export type { Kept } from './kept.js';
export { readKept, type KeptRead } from './read.js';
export { SettingsReplica, type ReplicaOptions, type SettingsListener } from './replica.js';
export { adminReceipt, writeKept, type SettingWritten } from './write.js';
