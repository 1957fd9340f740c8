import type { Bus, Reply } from '@uar/bus';
import { readPresence, type InstanceId } from '@uar/contracts';

/** Asked this often, in milliseconds, while a caller waits for it. */
const askEveryMs = 2_000;
/** Nobody of its name on the bus, so many times in a row: it died. One that only lost its connection is back within half a second. */
const absencesOfTheDead = 2;
/** Silent, or absent, so many times in a row: by then its calls are closed in its place (ADR 35). */
const missesOfTheGone = 6;

/** Calls `gone` once the gateway instance has to be taken as gone. The returned function ends it. */
export function watchGateway(bus: Bus, gateway: InstanceId, gone: () => void): () => void {
  let [absences, misses] = [0, 0];
  const look = async (): Promise<void> => {
    const sign = signOf(await bus.ask(readPresence, {}, { to: gateway }));
    absences = sign === 'absent' ? absences + 1 : 0;
    misses = sign === 'present' ? 0 : misses + 1;
    if (absences >= absencesOfTheDead || misses >= missesOfTheGone) gone();
  };
  const timer = setInterval(() => void look(), askEveryMs);
  return () => clearInterval(timer);
}

function signOf(reply: Reply<typeof readPresence>): 'present' | 'absent' | 'silent' {
  if (reply.kind === 'answered') return 'present';
  switch (reply.fault) {
    case 'no_responders':
      return 'absent';
    case 'timed_out':
      return 'silent';
    // Of a lost connection of ours whoever waits is told by the bus; else somebody answered, whatever it was.
    case 'disconnected':
    case 'bad_ask':
    case 'bad_answer':
    case 'too_large':
    case 'faulted':
      return 'present';
  }
}
