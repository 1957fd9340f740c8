/** Ctrl-C, SIGTERM, or the end of a parent that holds our IPC channel. */
export interface StopSignals {
  /** Settles at the first signal. */
  readonly asked: Promise<NodeJS.Signals>;
  wasAsked(): boolean;
  release(): void;
}

/** `onSecond` runs at every signal after the first: the user does not want to wait. */
export function catchStopSignals(onSecond: () => void): StopSignals {
  let first: NodeJS.Signals | undefined;
  let report: (signal: NodeJS.Signals) => void = () => undefined;
  const asked = new Promise<NodeJS.Signals>((resolve) => {
    report = resolve;
  });
  const hear = (signal: NodeJS.Signals) => {
    if (first !== undefined) return onSecond();
    first = signal;
    report(signal);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, hear);
  return {
    asked,
    wasAsked: () => first !== undefined,
    release: () => {
      for (const signal of signals) process.off(signal, hear);
    },
  };
}
