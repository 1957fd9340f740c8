import type { AgentBody, ReceiptBody, RunId, Scope, StoredRun, TenantId } from '@uar/contracts';
import type { Unavailable } from '../call/ports.js';

/** A setting as it is held; `unreadable` is not the same as absent: whoever needs it denies. */
export type HeldSetting<T> =
  { readonly kind: 'kept'; readonly value: T } | { readonly kind: 'unreadable' } | undefined;

/** The scopes that stand outside of runs. The same object as long as a setting is unchanged. */
export interface ScopeBook {
  /** False before they were read for the first time. */
  readonly ready: boolean;
  /** The tenant's global scope. */
  policy(tenant: string): HeldSetting<Scope>;
  agent(tenant: string, id: string): HeldSetting<AgentBody>;
  onChange(listener: (tenant: TenantId) => void): () => void;
}

/** The same object as long as the run is unchanged. */
export interface HeldRun {
  readonly run: StoredRun;
  readonly revision: number;
}

export type FoundRun =
  { readonly kind: 'found'; readonly held: HeldRun } | { readonly kind: 'not_found' } | Unavailable;

export type RunWritten =
  | { readonly kind: 'written'; readonly held: HeldRun }
  /** Somebody else was first. */
  | { readonly kind: 'conflict' }
  | Unavailable;

export interface RunWrite {
  readonly run: StoredRun;
  /** 0: it must not exist. */
  readonly ifRevision: number;
  /** Epoch milliseconds from which on it may be forgotten. */
  readonly keptUntil: number;
  readonly receipt?: ReceiptBody;
}

/** Runs that were opened, by id; durable, the same for all gateways. */
export interface RunStore {
  /** As this gateway holds it where it was read lately, else as the ledger says. */
  find(tenant: TenantId, runId: RunId): FoundRun | Promise<FoundRun>;
  /** As this gateway holds it, if it does. */
  peek(tenant: TenantId, runId: RunId): HeldRun | undefined;
  /** As the ledger says now. */
  read(tenant: TenantId, runId: RunId): Promise<FoundRun>;
  put(write: RunWrite): Promise<RunWritten>;
  /** Tells of a run that is held here and was narrowed or ended. */
  onChange(listener: (tenant: TenantId, runId: RunId) => void): () => void;
}
