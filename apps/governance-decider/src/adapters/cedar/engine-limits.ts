export interface EngineLimits {
  /** Longest evaluation of one batch; beyond it the worker is ended. */
  readonly batchMs: number;
  /** How long a batch waits behind another one before the spare instance is asked too. */
  readonly passByMs: number;
  /** Longest wait of one batch in all. */
  readonly waitMs: number;
  /** Longest preparation or inspection of a set. */
  readonly loadMs: number;
  /** Batches that may wait at once. */
  readonly maxWaiting: number;
  /** An instance is replaced after so many throws, and used no more after `maxThrows` (it breaks at 1,146). */
  readonly recycleThrows: number;
  readonly maxThrows: number;
  readonly recycleBytes: number;
}

export const defaultLimits: EngineLimits = {
  batchMs: 1_000,
  passByMs: 40,
  waitMs: 1_800,
  loadMs: 20_000,
  maxWaiting: 1_024,
  recycleThrows: 64,
  maxThrows: 900,
  recycleBytes: 256 * 1024 * 1024,
};
