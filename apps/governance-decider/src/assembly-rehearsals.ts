import type { ServiceContext } from '@uar/service';
import { DecisionLog } from './adapters/ledger/decision-log.js';
import { pause } from './adapters/pause.js';
import { SettingsShadowStore } from './adapters/ledger/shadow-store.js';
import type { ActiveTexts, CandidateParts } from './domain/candidate-judge.js';
import type { Candidates } from './domain/lifecycle/candidates.js';
import type { DecisionListener } from './domain/record/decision-note.js';
import { CedarRehearsals, type Rehearsals } from './domain/rehearsals.js';
import { Shadows } from './domain/shadow/shadows.js';

/** Between two turns of a shadow: most of the machine is for live calls. */
const shadowRestMs = 50;

/** What is tried on decisions, and who is told of them. */
export async function rehearse(
  { bus, config, log }: ServiceContext,
  {
    texts: active,
    candidates,
    ...candidate
  }: CandidateParts & { readonly texts: ActiveTexts; readonly candidates: Candidates },
): Promise<{ readonly rehearsals: Rehearsals; readonly listeners: readonly DecisionListener[] }> {
  const recorded = new DecisionLog({ bus, log });
  const store = new SettingsShadowStore({ bus, log, profile: config.profile, now: Date.now });
  const shadows = new Shadows({
    ...{ active, candidates, candidate, store, now: Date.now },
    rest: () => pause(shadowRestMs),
    onFault: (error) => log.error({ err: error }, 'a fault of a shadow'),
    replica: bus.instance,
  });
  await store.start();
  const end = async () => {
    store.stop();
    await recorded.stop();
  };
  return {
    rehearsals: new CedarRehearsals({ active, candidates, candidate, recorded, now: Date.now, shadows, end }),
    listeners: config.governance.record_decisions ? [recorded, shadows] : [shadows],
  };
}
