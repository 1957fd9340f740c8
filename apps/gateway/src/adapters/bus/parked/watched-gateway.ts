import { signOfLife, type Bus } from '@uar/bus';
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
    const sign = signOfLife(await bus.ask(readPresence, {}, { to: gateway }));
    absences = sign === 'absent' ? absences + 1 : 0;
    // Of a lost connection of ours whoever waits is told by the bus.
    misses = sign === 'absent' || sign === 'silent' ? misses + 1 : 0;
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
