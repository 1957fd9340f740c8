import type { LedgerErrorKind } from '../ledger-error.js';
import type { Input, Operation, Output } from '../store.js';

/** One operation on its way to the thread that owns the database. */
export type Request = {
  [K in Operation]: { readonly id: number; readonly operation: K; readonly input: Input<K> };
}[Operation];

export type Response =
  | { readonly id: number; readonly kind: 'done'; readonly output: Output<Operation> }
  | {
      readonly id: number;
      readonly kind: 'failed';
      /** `bug`: the operation itself threw something that is nobody's bad luck. */
      readonly cause: LedgerErrorKind | 'bug';
      readonly message: string;
    };

/** The way to whoever runs the operations: a worker thread, or this thread for a ledger in memory. */
export interface Link {
  ask<K extends Operation>(operation: K, input: Input<K>): Promise<Output<K>>;
  close(): Promise<void>;
}
