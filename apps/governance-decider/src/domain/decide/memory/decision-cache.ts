import { createHash } from 'node:crypto';
import type { CallQuestion, Caller } from '@uar/contracts';

/** Everything besides the question that a remembered decision depends on. */
export interface DecisionGround {
  readonly policyVersion: string;
  readonly directoryRevision: number;
  /** A policy of the set reads the run or the session. */
  readonly readsRun: boolean;
}

/**
 * Names the exact facts a decision rests on: the ground, the principal, how it reached us, the tool, and `about`, which is
 * the digest of the arguments or whatever stands for them.
 */
export function decisionKey(question: CallQuestion, ground: DecisionGround, about: string): string {
  const facts = JSON.stringify([...callerFacts(question.caller, ground), question.tool, about]);
  return createHash('sha256').update(facts).digest('base64');
}

/** The same without tool and arguments: names what a caller sees of all tools. */
export function callerKey(caller: Caller, ground: DecisionGround): string {
  return createHash('sha256')
    .update(JSON.stringify(callerFacts(caller, ground)))
    .digest('base64');
}

function callerFacts(caller: Caller, ground: DecisionGround): readonly unknown[] {
  const { principal, channel, ip, run_id: runId, session_id: sessionId, run_limits: runLimits } = caller;
  return [
    ground.policyVersion,
    ground.directoryRevision,
    ground.readsRun ? [runId, sessionId] : null,
    channel,
    ip ?? null,
    runLimits ?? null,
    { ...principal, expires_at: null },
  ];
}

/**
 * A bounded memory; the least recently used entry makes room. Whoever stores something makes sure that neither time nor
 * chance had a part in it.
 */
export class DecisionCache<T> {
  readonly #entries = new Map<string, T>();

  constructor(private readonly maxEntries: number) {
    if (!Number.isInteger(maxEntries) || maxEntries < 0) throw new Error('maxEntries must be a whole number');
  }

  find(key: string): T | undefined {
    const found = this.#entries.get(key);
    if (found === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, found);
    return found;
  }

  store(key: string, value: T): void {
    this.#entries.set(key, value);
    if (this.#entries.size <= this.maxEntries) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }
}
