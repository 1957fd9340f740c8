import type { Clock } from '../clock.js';
import type { Upstream } from '../upstream.js';
import type { LinkState } from './link-state.js';
import { linkTimes } from './link-times.js';

export interface Pings {
  readonly upstream: Upstream;
  readonly clock: Clock;
  readonly state: Pick<LinkState, 'msSinceAnswer'>;
  readonly signal: AbortSignal;
  readonly onAnswer: (latencyMs: number) => void;
  readonly onSilence: () => void;
}

/** Pings a connection that has been silent, until the signal ends it. */
export async function keepPinging({
  upstream,
  clock,
  state,
  signal,
  onAnswer,
  onSilence,
}: Pings): Promise<void> {
  for (;;) {
    await clock.wait(linkTimes.pingEvery, signal);
    if (signal.aborted) return;
    if (state.msSinceAnswer() < linkTimes.pingEvery) continue;
    const start = clock.now();
    if (await upstream.ping(linkTimes.pingTimeout)) onAnswer(clock.now() - start);
    else onSilence();
  }
}
