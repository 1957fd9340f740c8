import { discoverTools, type Caller } from '@uar/contracts';
import { inTime } from '../../in-time.js';
import { DecisionCache, callerKey, type DecisionGround } from '../memory/decision-cache.js';
import type { ToolSight } from '../verdict.js';

const maxCallers = 256;
const maxClasses = 10_000;

/** What one caller sees of tools, by class of tools, on one ground. */
export class CallerView {
  readonly #sights = new Map<string, ToolSight>();
  #turn: Promise<unknown> = Promise.resolve();

  /** Longest wait for one look, its turn included: whoever asks waits no longer. */
  constructor(private readonly waitMs: number = discoverTools.deadlineMs) {}

  find(toolClass: string): ToolSight | undefined {
    return this.#sights.get(toolClass);
  }

  store(toolClass: string, sight: ToolSight): void {
    if (this.#sights.size >= maxClasses) this.#sights.clear();
    this.#sights.set(toolClass, sight);
  }

  /**
   * One after the other, so that pieces of one list do not ask the same questions side by side. A look that has not ended
   * in time is a fault, not an empty list; one whose turn comes later is not begun.
   */
  async inTurn<T>(look: () => Promise<T>): Promise<T> {
    const signal = AbortSignal.timeout(this.waitMs);
    const late = new Error(`the tools were not looked at within ${this.waitMs} ms`);
    const turn = this.#turn.then(() => (signal.aborted ? Promise.reject(late) : look()));
    this.#turn = turn.catch(() => undefined);
    const looked = await inTime(turn, signal);
    if (looked.kind === 'late') throw late;
    return looked.value;
  }
}

/** Views of the callers that looked last. */
export class SightMemory {
  readonly #views = new DecisionCache<CallerView>(maxCallers);

  of(caller: Caller, ground: DecisionGround): CallerView {
    const key = callerKey(caller, ground);
    const known = this.#views.find(key);
    if (known !== undefined) return known;
    const view = new CallerView();
    this.#views.store(key, view);
    return view;
  }
}
