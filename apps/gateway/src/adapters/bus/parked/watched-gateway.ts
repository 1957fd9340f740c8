import type { Bus, Reply } from '@uar/bus';
import { readPresence, type InstanceId } from '@uar/contracts';
import type { Clock } from '../../../domain/call/ports.js';

/** Asked this often, in milliseconds, while a caller waits for it. */
const askEveryMs = 2_000;
/** Nobody of its name on the bus, so many times in a row: it died. One that only lost its connection is back within half a second. */
const absencesOfTheDead = 2;
/** Silent, or absent, so many times in a row: by then its calls are closed in its place (ADR 35). */
const missesOfTheGone = 6;

interface Watch {
  readonly bus: Bus;
  readonly clock: Pick<Clock, 'after'>;
  readonly gateway: InstanceId;
}

/** Calls `gone` once the gateway instance has to be taken as gone. The returned function ends it. */
export function watchGateway({ bus, clock, gateway }: Watch, gone: () => void): () => void {
  let [absences, misses] = [0, 0];
  const look = async (): Promise<void> => {
    const sign = signOf(await bus.ask(readPresence, {}, { to: gateway }));
    absences = sign === 'absent' ? absences + 1 : 0;
    misses = sign === 'present' ? 0 : misses + 1;
    if (absences >= absencesOfTheDead || misses >= missesOfTheGone) gone();
  };
  let stop = (): void => undefined;
  const lookLater = (): void => {
    stop = clock.after(askEveryMs, () => {
      lookLater();
      void look();
    });
  };
  lookLater();
  return () => stop();
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
