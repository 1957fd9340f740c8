import { createHash } from 'node:crypto';
import type { CallQuestion } from '@uar/contracts';
import type { CallVerdict } from './verdict.js';

/** Everything besides the question that a remembered verdict depends on. */
export interface CacheGround {
  readonly policyVersion: string;
  readonly directoryRevision: number;
  /** A policy of the set reads the run or the session. */
  readonly readsRun: boolean;
}

/**
 * Verdicts by the exact facts they rest on. The least recently used one makes room. Whoever stores a verdict makes sure
 * that neither time nor chance had a part in it.
 */
export class DecisionCache {
  readonly #verdicts = new Map<string, CallVerdict>();

  constructor(private readonly maxEntries: number) {
    if (!Number.isInteger(maxEntries) || maxEntries < 0) throw new Error('maxEntries must be a whole number');
  }

  get size(): number {
    return this.#verdicts.size;
  }

  keyOf(question: CallQuestion, ground: CacheGround): string {
    const { principal, channel, ip, run_id: runId, session_id: sessionId } = question.caller;
    const facts = JSON.stringify([
      ground.policyVersion,
      ground.directoryRevision,
      ground.readsRun ? [runId, sessionId] : null,
      channel,
      ip ?? null,
      { ...principal, expires_at: null },
      question.tool,
      question.arguments_digest,
    ]);
    return createHash('sha256').update(facts).digest('base64');
  }

  find(key: string): CallVerdict | undefined {
    const found = this.#verdicts.get(key);
    if (found === undefined) return undefined;
    this.#verdicts.delete(key);
    this.#verdicts.set(key, found);
    return found;
  }

  store(key: string, verdict: CallVerdict): void {
    this.#verdicts.set(key, verdict);
    if (this.#verdicts.size <= this.maxEntries) return;
    const [oldest] = this.#verdicts.keys();
    if (oldest !== undefined) this.#verdicts.delete(oldest);
  }
}
