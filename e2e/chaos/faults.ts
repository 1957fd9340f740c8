import { between, oneOf, pause, type Chance } from './chance.js';
import type { Journal } from './history.js';
import type { Plane, Target } from './plane.js';

/** Longer than a silent gateway is waited for (ADR 35), in milliseconds. */
const freezeMs = [12_000, 14_000] as const;
/** The gateway is frozen in the place of this fault. */
const frozenNth = 5;

/**
 * Kills or stops somebody every second or two, until told to end; with `aim`, kills that one alone. Whoever is stopped goes
 * on before anybody else is hit. With `freezes`, a gateway is once stopped for so long that its calls are ended in its place.
 */
export async function cause(options: {
  readonly plane: Plane;
  readonly journal: Journal;
  readonly chance: Chance;
  readonly going: () => boolean;
  readonly aim?: string | undefined;
  readonly freezes: boolean;
}): Promise<void> {
  const { plane, journal, chance, going, aim, freezes } = options;
  const stop = async (what: 'stop' | 'freeze', target: Target): Promise<void> => {
    journal.note({ kind: 'fault', at: Date.now(), what, service: target.service });
    target.stop();
    await pause(what === 'freeze' ? between(chance, ...freezeMs) : between(chance, 300, 3_000));
    target.goOn();
  };
  for (let nth = 1; going(); nth += 1) {
    await pause(between(chance, 800, 2_200));
    const isFreeze = freezes && nth === frozenNth;
    const aims = isFreeze ? ['gateway A', 'gateway B'] : aim === undefined ? undefined : [aim];
    const targets = plane.targets().filter(({ service }) => aims?.includes(service) ?? true);
    const target = oneOf(chance, targets);
    if (target === undefined || !going()) continue;
    if (isFreeze) {
      await stop('freeze', target);
      continue;
    }
    if (aim !== undefined || chance() < 0.6) {
      journal.note({ kind: 'fault', at: Date.now(), what: 'kill', service: target.service });
      await target.kill();
      continue;
    }
    await stop('stop', target);
  }
}
