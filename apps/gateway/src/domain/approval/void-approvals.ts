import type { CatalogEntry } from '@uar/contracts';
import type { Catalog, Clock } from '../call/ports.js';
import type { WaitingCall, WaitingRoom } from './waiting-room.js';

/** A decision made just before may let a call enter the room just after: it is looked at once more. */
const lookAgainMs = 3_000;

/**
 * Ends what waits here for a human about a definition that is no longer the one in the catalog, or that awaits review: a
 * vote on it would release nothing. What is only missing from the catalog may come back, so it goes on waiting.
 */
export class VoidApprovals {
  private endTimer: (() => void) | undefined;

  constructor(
    private readonly parts: { readonly room: WaitingRoom; readonly catalog: Catalog; readonly clock: Clock },
  ) {}

  /** The catalog may have changed. */
  enforce(): void {
    this.sweep();
    this.endTimer ??= this.parts.clock.after(lookAgainMs, () => {
      this.endTimer = undefined;
      this.sweep();
    });
  }

  close(): void {
    this.endTimer?.();
    this.endTimer = undefined;
  }

  private sweep(): void {
    for (const waiting of this.parts.room.all()) {
      const cause = this.causeOf(waiting);
      if (cause !== undefined && !waiting.call.isDispatched)
        waiting.call.withdraw({ outcome: 'quarantined', cause });
    }
  }

  private causeOf({ call, staged: { entry } }: WaitingCall): string | undefined {
    const now = this.parts.catalog.find(call.caller.principal.tenant, entry.name);
    return now === undefined ? undefined : voided(entry, now);
  }
}

/** Why an approval for the one definition says nothing about the other; undefined when they are the same and served. */
export function voided(then: CatalogEntry, now: CatalogEntry): string | undefined {
  if (now.facts.definition_digest !== then.facts.definition_digest) return 'definition_changed';
  return now.facts.pinned ? undefined : 'definition_unreviewed';
}
