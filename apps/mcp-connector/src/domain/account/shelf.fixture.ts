import type { CredentialStore, Kept } from './ports.js';

/** One account as the ledger keeps it, which may be away, or held by another connector. */
export class Shelf implements CredentialStore {
  kept: Kept = { revision: 0 };
  isAway = false;
  heldByOther = false;
  isLent = false;

  read = () => Promise.resolve(this.isAway ? ({ kind: 'unavailable' } as const) : this.kept);

  release(): Promise<void> {
    this.isLent = false;
    return Promise.resolve();
  }

  lease(_account: unknown, ifRevision: number): ReturnType<CredentialStore['lease']> {
    if (ifRevision !== this.kept.revision) return Promise.resolve({ kind: 'moved' });
    if (this.heldByOther) return Promise.resolve({ kind: 'held', freeInMs: 5_000 });
    this.isLent = true;
    return Promise.resolve({ kind: 'leased' });
  }

  write(_account: unknown, { ifRevision, credentials, issuer }: Parameters<CredentialStore['write']>[1]) {
    if (this.isAway) return Promise.resolve({ kind: 'unavailable' } as const);
    if (ifRevision !== this.kept.revision) return Promise.resolve({ kind: 'conflict' } as const);
    this.isLent = false;
    this.kept = {
      revision: ifRevision + 1,
      ...(credentials === undefined ? {} : { credentials }),
      ...(issuer === undefined ? {} : { issuer }),
    };
    return Promise.resolve({ kind: 'written', revision: this.kept.revision } as const);
  }
}
