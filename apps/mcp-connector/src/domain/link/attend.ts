import { followList } from '../tools/list-follower.js';
import type { Live, LinkPorts } from './connection.js';
import type { LinkState } from './link-state.js';
import { linkTimes } from './link-times.js';
import { keepPinging } from './pings.js';

export interface Attendance {
  readonly ports: Pick<LinkPorts, 'clock' | 'digestOf'>;
  readonly state: LinkState;
  /** The connection's life. */
  readonly signal: AbortSignal;
  readonly onAnswer: (latencyMs: number) => void;
  readonly onTrouble: (message: string) => void;
}

/** Pings a connection and keeps its tool list the present one; the returned function says that the list changed. */
export function attend(live: Live, { ports, state, signal, onAnswer, onTrouble }: Attendance): () => void {
  void keepPinging({
    ...{ upstream: live.upstream, clock: ports.clock, state, signal, onAnswer },
    onSilence: () => onTrouble('no answer to a ping'),
  });
  return followList({
    ...{ upstream: live.upstream, digestOf: ports.digestOf, clock: ports.clock, signal },
    pace: {
      debounceMs: linkTimes.listDebounce,
      firstGapMs: linkTimes.firstListGap,
      longestGapMs: linkTimes.longestListGap,
    },
    onRead: (read) => {
      if (read.kind === 'failed') return onTrouble(read.message);
      live.list = read.list;
      state.changed();
    },
  });
}
