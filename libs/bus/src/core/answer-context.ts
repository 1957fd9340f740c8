import type { AskContext } from '../bus.js';

/** Timer and controller exist only for handlers that look at the signal: most never do. */
export class AnswerContext implements AskContext {
  #controller: AbortController | undefined;
  #timer: NodeJS.Timeout | undefined;
  #ended = false;
  readonly trace?: string;

  constructor(
    readonly deadlineAt: number,
    trace: string | undefined,
  ) {
    if (trace !== undefined) this.trace = trace;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController();
      this.#controller = controller;
      if (this.#ended) controller.abort();
      else this.#timer = setTimeout(() => controller.abort(), Math.max(0, this.deadlineAt - Date.now()));
    }
    return this.#controller.signal;
  }

  /** The handler is done; the signal does not fire any more. */
  end(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
  }

  abort(reason?: unknown): void {
    this.end();
    this.#controller?.abort(reason);
  }
}
