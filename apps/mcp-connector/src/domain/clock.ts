/** Time as the domain needs it; epoch milliseconds. */
export interface Clock {
  now(): number;
  /** Settles after `ms`, or as soon as the signal aborts. Never rejects. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}
