import type { PostgresPlace } from '@uar/postgres-url';

/** One statement. With a name it is prepared once for each connection; without values it may be several in one text. */
export interface Command {
  readonly text: string;
  readonly name?: string;
  readonly values?: readonly unknown[];
}

export interface CommandResult {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly changes: number;
  /** Tag of what was done: a COMMIT of a transaction that failed says ROLLBACK. */
  readonly did: string;
}

export interface CommandFailure {
  /** SQLSTATE, or the name of a socket's error; absent: the connection ended without one. */
  readonly code?: string;
  readonly message: string;
  /** Whether the connection is over. */
  readonly isLost: boolean;
}

export type ToClient =
  | {
      readonly kind: 'run';
      readonly id: number;
      readonly commands: readonly Command[];
      /** In a transaction that was begun before: nothing is done on another connection than its own. */
      readonly continues: boolean;
    }
  /** Nobody waits any longer: the connection is of no use any more. */
  | { readonly kind: 'give_up' }
  | { readonly kind: 'limits'; readonly limits: SessionLimits }
  | { readonly kind: 'close' };

export type FromClient =
  | { readonly id: number; readonly kind: 'done'; readonly results: readonly CommandResult[] }
  | { readonly id: number; readonly kind: 'failed'; readonly failure: CommandFailure };

export interface ClientStart {
  readonly place: PostgresPlace;
  readonly password?: string;
  /** Shared with whoever waits: one more for each answer. */
  readonly answers: Int32Array;
  readonly limits: SessionLimits;
}

/** In milliseconds. */
export interface SessionLimits {
  readonly connectMs: number;
  readonly statementMs: number;
  readonly lockMs: number;
  readonly idleInTransactionMs: number;
}
