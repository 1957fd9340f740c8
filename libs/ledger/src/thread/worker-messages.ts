import type { FileVerification } from '../chain/verify-file.js';
import type { Verifications } from '../chain/verify-held.js';
import type { LedgerErrorKind } from '../ledger-error.js';
import type { Request, Response } from './link.js';
import type { PostgresEngineOptions } from '../postgres/engine.js';
import type { PostgresVerification } from '../postgres/verify.js';
import type { EngineOptions } from '../sqlite/engine.js';

/** What a worker is started for. */
export type WorkerTask =
  | { readonly kind: 'serve'; readonly options: EngineOptions | PostgresEngineOptions }
  | { readonly kind: 'verify'; readonly options: FileVerification | PostgresVerification };

export type ToWorker =
  { readonly kind: 'requests'; readonly requests: readonly Request[] } | { readonly kind: 'close' };

export type FromWorker =
  | { readonly kind: 'ready' }
  | { readonly kind: 'refused'; readonly cause: LedgerErrorKind | 'bug'; readonly message: string }
  | { readonly kind: 'responses'; readonly responses: readonly Response[] }
  | { readonly kind: 'verified'; readonly verifications: Verifications };
