import type { Principal, TenantId } from '@uar/contracts';
import type { z } from 'zod';
import {
  hasDrifted,
  inForce,
  nothingStored,
  summaryOf,
  unnamed,
  withChange,
  type Members,
  type Stored,
} from './stored.js';

/** One document of settings: where it stands in the ledger, and what holds where the API set nothing. */
export interface SettingsDocument {
  /** Also its name in receipts. */
  readonly namespace: string;
  readonly key: string;
  readonly stored: z.ZodType<Stored>;
  tenantOf(principal: Principal): TenantId;
  file(tenant: TenantId): Members;
}

export interface Place {
  readonly tenant: TenantId;
  readonly namespace: string;
  readonly key: string;
}

export interface Kept {
  readonly revision: number;
  readonly value: Stored;
}

type Found =
  | (Kept & { readonly kind: 'kept' })
  /** Somebody stored what the document does not take. */
  | { readonly kind: 'unreadable'; readonly revision: number }
  | { readonly kind: 'unavailable' };

/** The ledger. `unavailable`: nothing is known to have been read or changed. */
export interface SettingsStore {
  /** `absent`: never written. */
  read(place: Place, stored: SettingsDocument['stored']): Promise<Found | { readonly kind: 'absent' }>;
  /** Durable with its receipt, or neither. */
  write(
    place: Place,
    kept: Kept,
    by: { readonly principal: Principal; readonly action: string },
  ): Promise<'written' | 'conflict' | 'unavailable'>;
}

export type Shown =
  | { readonly kind: 'shown'; readonly settings: Members }
  | { readonly kind: 'conflict' }
  /** What is stored cannot be read; members that a change has to name before it may replace that. */
  | { readonly kind: 'unreadable'; readonly missing: readonly string[] }
  | { readonly kind: 'unavailable' };

const mostTries = 2;

/** Settings that are written by API: persisted first; whoever applies them follows the ledger. */
export class SettingsDesk {
  constructor(private readonly store: SettingsStore) {}

  async read(document: SettingsDocument, principal: Principal): Promise<Shown> {
    const found = await this.find(document, placeOf(document, principal));
    const file = document.file(document.tenantOf(principal));
    switch (found.kind) {
      case 'kept':
        return shown(found.value, file);
      case 'unreadable':
        return { kind: 'unreadable', missing: unnamed({}, file) };
      case 'unavailable':
        return found;
    }
  }

  /** Somebody else may write at the same time: read and tried once more, then a conflict. */
  async change(document: SettingsDocument, principal: Principal, change: Members): Promise<Shown> {
    const place = placeOf(document, principal);
    const file = document.file(place.tenant);
    const named = `settings.put ${document.namespace} ${summaryOf(change)}`.trimEnd();
    for (let tries = 0; tries < mostTries; tries += 1) {
      const found = await this.find(document, place);
      if (found.kind === 'unavailable') return found;
      const isOver = found.kind === 'unreadable';
      const missing = isOver ? unnamed(change, file) : [];
      if (missing.length > 0) return { kind: 'unreadable', missing };
      const action = isOver ? `${named} over settings that could not be read` : named;
      const stored = withChange(isOver ? nothingStored : found.value, change, file);
      const kept = { revision: found.revision, value: stored };
      const written = await this.store.write(place, kept, { principal, action });
      if (written === 'written') return shown(stored, file);
      if (written === 'unavailable') return { kind: 'unavailable' };
    }
    return { kind: 'conflict' };
  }

  private async find({ stored }: SettingsDocument, place: Place): Promise<Found> {
    const found = await this.store.read(place, stored);
    return found.kind === 'absent' ? { kind: 'kept', value: nothingStored, revision: 0 } : found;
  }
}

function placeOf({ namespace, key, tenantOf }: SettingsDocument, principal: Principal): Place {
  return { tenant: tenantOf(principal), namespace, key };
}

function shown(stored: Stored, file: Members): Shown {
  return { kind: 'shown', settings: { ...inForce(stored, file), drift: hasDrifted(stored, file) } };
}
