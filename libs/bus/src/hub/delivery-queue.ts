const burstLimit = 128;

/**
 * Runs deliveries in order after the current code, as microtasks; after a long unbroken chain of them once through the
 * event loop, so that services that talk to each other in one process cannot starve timers and sockets.
 */
export class DeliveryQueue<T> {
  #waiting: T[] = [];
  #scheduled = false;
  #burst = 0;

  constructor(private readonly deliver: (item: T) => void) {}

  push(item: T): void {
    this.#waiting.push(item);
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#burst += 1;
    if (this.#burst < burstLimit) queueMicrotask(this.#run);
    else setImmediate(this.#runFresh);
  }

  readonly #run = (): void => {
    const items = this.#waiting;
    this.#waiting = [];
    this.#scheduled = false;
    for (const item of items) this.deliver(item);
  };

  readonly #runFresh = (): void => {
    this.#burst = 0;
    this.#run();
  };
}
