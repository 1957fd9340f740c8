import type { Caller } from '@uar/contracts';
import { DecisionCache, callerKey, type DecisionGround } from '../memory/decision-cache.js';
import type { ToolSight } from '../verdict.js';

const maxCallers = 256;
const maxClasses = 10_000;

/** What one caller sees of tools, by class of tools, on one ground. */
export class CallerView {
  readonly #sights = new Map<string, ToolSight>();
  #turn: Promise<unknown> = Promise.resolve();

  find(toolClass: string): ToolSight | undefined {
    return this.#sights.get(toolClass);
  }

  store(toolClass: string, sight: ToolSight): void {
    if (this.#sights.size >= maxClasses) this.#sights.clear();
    this.#sights.set(toolClass, sight);
  }

  /** One after the other, so that pieces of one list do not ask the same questions side by side. */
  inTurn<T>(look: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(look);
    this.#turn = turn.catch(() => undefined);
    return turn;
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
