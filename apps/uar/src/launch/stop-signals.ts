/** Ctrl-C, SIGTERM, SIGHUP, or the end of a parent that holds our IPC channel. */
export interface StopSignals {
  /** Settles at the first signal, with its name. */
  readonly asked: Promise<string>;
  /** Its name, once there was one. */
  wasAsked(): string | undefined;
  release(): void;
}

/** One Ctrl-C may arrive twice, from the terminal and from `npm`, which passes it on. */
const sameKeyMs = 500;

/** `onSecond` runs when the user asks again: who does so does not want to wait. */
export function catchStopSignals(onSecond: () => void): StopSignals {
  let first: { name: string; at: number } | undefined;
  let report: (name: string) => void = () => undefined;
  const asked = new Promise<string>((resolve) => {
    report = resolve;
  });
  const hear = (name: string) => {
    if (first === undefined) {
      first = { name, at: Date.now() };
      report(name);
    } else if (Date.now() - first.at > sameKeyMs) onSecond();
  };
  const parentGone = () => hear('the parent is gone');
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, hear);
  process.on('disconnect', parentGone);
  return {
    asked,
    wasAsked: () => first?.name,
    release: () => {
      for (const signal of signals) process.off(signal, hear);
      process.off('disconnect', parentGone);
    },
  };
}
