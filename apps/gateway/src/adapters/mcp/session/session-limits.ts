import type { ReplayLimits } from './replay-store.js';

/** Bounds of the sessions of one gateway; most clients never say goodbye. */
export interface SessionLimits {
  readonly idleMs: number;
  readonly perPrincipal: number;
  readonly total: number;
  /** Milliseconds without any stream after which nobody waits for the session's calls. */
  readonly lonelyMs: number;
  /** Milliseconds after which a connection ends whose client can come back to its stream. */
  readonly longestStreamMs: number;
  readonly sweepMs: number;
  readonly replay: ReplayLimits;
}

const mebi = 1024 * 1024;

export const sessionLimits: SessionLimits = {
  idleMs: 30 * 60_000,
  perPrincipal: 100,
  total: 10_000,
  lonelyMs: 30_000,
  longestStreamMs: 240_000,
  sweepMs: 5_000,
  replay: {
    // The longest result is kept whole (8 MiB).
    perSession: { events: 500, bytes: 9 * mebi },
    total: { events: 50_000, bytes: 64 * mebi },
    keptMs: 5 * 60_000,
  },
};
