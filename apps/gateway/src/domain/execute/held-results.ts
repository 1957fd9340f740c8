import type { CallId } from '@uar/contracts';
import type { CallOwner } from '../call/proposed-call.js';

export interface HeldResult {
  readonly owner: CallOwner;
  /** CallView as JSON text, whole. */
  readonly viewJson: string;
}

interface Held extends HeldResult {
  readonly bytes: number;
  readonly until: number;
}

export interface HeldResultsOptions {
  /** Of all views together. */
  readonly mostBytes: number;
  readonly forMs: number;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/**
 * Results that are too long for the ledger, in the memory of the gateway at which their calls ended. Whoever holds the most
 * makes room with their oldest: one principal's results push out nobody else's.
 */
export class HeldResults {
  /** The oldest first. */
  private readonly byId = new Map<CallId, Held>();
  private bytes = 0;

  constructor(private readonly options: HeldResultsOptions) {}

  hold(callId: CallId, { owner, viewJson }: HeldResult): void {
    const { mostBytes, forMs, now } = this.options;
    const bytes = Buffer.byteLength(viewJson);
    this.drop(callId);
    this.dropOld();
    if (bytes > mostBytes) return;
    this.byId.set(callId, { owner, viewJson, bytes, until: now() + forMs });
    this.bytes += bytes;
    while (this.bytes > mostBytes) this.makeRoom();
  }

  find(callId: CallId): HeldResult | undefined {
    this.dropOld();
    return this.byId.get(callId);
  }

  private dropOld(): void {
    const { now } = this.options;
    for (const [callId, { until }] of this.byId) {
      if (until > now()) return;
      this.drop(callId);
    }
  }

  private drop(callId: CallId): void {
    this.bytes -= this.byId.get(callId)?.bytes ?? 0;
    this.byId.delete(callId);
  }

  private makeRoom(): void {
    const sums = new Map<string, { bytes: number; readonly oldest: CallId }>();
    for (const [callId, { owner, bytes }] of this.byId) {
      const key = JSON.stringify([owner.tenant, owner.principal]);
      const sum = sums.get(key) ?? { bytes: 0, oldest: callId };
      sum.bytes += bytes;
      sums.set(key, sum);
    }
    const [heaviest] = [...sums.values()].toSorted((one, other) => other.bytes - one.bytes);
    if (heaviest !== undefined) this.drop(heaviest.oldest);
  }
}
