import type { Request, Response } from './thread/link.js';

/** The ledger as its own thread sees it: synchronous. */
export interface Engine {
  run(requests: readonly Request[]): readonly Response[];
  close(): void;
}
