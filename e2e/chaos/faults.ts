import { between, oneOf, pause, type Chance } from './chance.js';
import type { Journal } from './history.js';
import type { Plane } from './plane.js';

/**
 * Kills or stops somebody every second or two, until told to end; with `aim`, kills that one alone. Whoever is stopped goes
 * on before anybody else is hit.
 */
export async function cause(options: {
  readonly plane: Plane;
  readonly journal: Journal;
  readonly chance: Chance;
  readonly going: () => boolean;
  readonly aim?: string | undefined;
}): Promise<void> {
  const { plane, journal, chance, going, aim } = options;
  while (going()) {
    await pause(between(chance, 800, 2_200));
    const targets = plane.targets().filter(({ service }) => aim === undefined || service === aim);
    const target = oneOf(chance, targets);
    if (target === undefined || !going()) continue;
    const { service, pid } = target;
    if (aim !== undefined || chance() < 0.6) {
      journal.note({ kind: 'fault', at: Date.now(), what: 'kill', service });
      signal(pid, 'SIGKILL');
      continue;
    }
    journal.note({ kind: 'fault', at: Date.now(), what: 'stop', service });
    signal(pid, 'SIGSTOP');
    await pause(between(chance, 300, 3_000));
    signal(pid, 'SIGCONT');
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It ended by itself meanwhile.
  }
}
