/** Ctrl-C, SIGTERM, SIGHUP, or the end of a parent that holds our IPC channel. */
export interface StopSignals {
  /** Settles at the first signal. */
  readonly asked: Promise<void>;
  wasAsked(): boolean;
  release(): void;
}

/** One Ctrl-C may arrive twice, from the terminal and from `npm`, which passes it on. */
const sameKeyMs = 500;

/** `onSecond` runs when the user asks again: who does so does not want to wait. */
export function catchStopSignals(onSecond: () => void): StopSignals {
  let firstAt: number | undefined;
  let report: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => {
    report = resolve;
  });
  const hear = () => {
    if (firstAt === undefined) {
      firstAt = Date.now();
      report();
    } else if (Date.now() - firstAt > sameKeyMs) onSecond();
  };
  const ends = ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'];
  for (const end of ends) process.on(end, hear);
  return {
    asked,
    wasAsked: () => firstAt !== undefined,
    release: () => {
      for (const end of ends) process.off(end, hear);
    },
  };
}
