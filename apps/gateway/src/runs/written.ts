import type { ScopeWritten } from '../domain/agent/agents.js';
import { Refusal, notAvailable, notFound } from '../http/refusal.js';

/** Throws for whatever was not written; answers whether it is new. */
export function refuseUnwritten(written: ScopeWritten): { readonly created: boolean } {
  switch (written.kind) {
    case 'written':
      return written;
    case 'not_found':
      throw notFound();
    case 'contended':
      throw new Refusal(409, 'conflict', { message: 'Others write the same setting now; try again.' });
    case 'unavailable':
      throw notAvailable();
  }
}
