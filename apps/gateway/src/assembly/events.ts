import type { ServiceContext } from '@uar/service';
import { systemClock } from '../adapters/clock.js';
import { BusWindow } from '../adapters/events/bus-window.js';
import type { Access } from '../domain/access/access.js';
import { StreamDesk } from '../domain/event/stream-desk.js';
import type { RunDesk } from '../domain/run/run-desk.js';

/** Who follows events, and what they are read from. */
export function assembleStreams(
  { bus }: ServiceContext,
  around: {
    readonly runs: Pick<RunDesk, 'watch'>;
    readonly access: Access;
    fault(error: unknown): string;
  },
) {
  const window = new BusWindow(bus);
  const streams = new StreamDesk({ window, ...around, clock: systemClock });
  return {
    streams,
    stopStreams: (): void => {
      streams.close();
      window.close();
    },
  };
}
