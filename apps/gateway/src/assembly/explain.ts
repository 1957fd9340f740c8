import { setImmediate as breathe } from 'node:timers/promises';
import type { CatalogReplica } from '@uar/catalog';
import type { ServiceContext } from '@uar/service';
import { BusExplainingPdp } from '../adapters/bus/explaining-pdp.js';
import { systemClock } from '../adapters/clock.js';
import type { Schemas } from '../domain/call/ports.js';
import { CallExplanations } from '../domain/explain/explanation.js';
import { Lanes } from '../domain/limit/lanes.js';
import { Simulations } from '../domain/explain/simulation.js';
import type { Runs } from '../domain/run/runs.js';

/** The decider tries one thing after another: what waits longer here would meet its deadline there. */
const trialBounds = { atOnce: 4, mostWaiting: 32, waitMs: 10_000 };

/** What answers why, and what would be. */
export function assembleExplain(
  { bus, config }: ServiceContext,
  parts: { readonly replica: CatalogReplica; readonly runs: Runs; readonly schemas: Schemas },
) {
  const { replica, runs, schemas } = parts;
  const pdp = new BusExplainingPdp(bus);
  const mostArgumentBytes = config.limits.arguments_kb * 1024;
  const preview = { catalog: replica, runs, schemas, mostArgumentBytes };
  return {
    trialLanes: new Lanes(trialBounds, systemClock),
    callExplanations: new CallExplanations({ preview, pdp }),
    simulations: new Simulations({ preview, catalog: replica, pdp, breathe: () => breathe() }),
  };
}
