import type { CatalogReplica } from '@uar/catalog';
import type { ServiceContext } from '@uar/service';
import { LedgerRuns } from '../adapters/bus/ledger-runs.js';
import type { BusPdp } from '../adapters/bus/pdp.js';
import { systemClock } from '../adapters/clock.js';
import { EffectiveLists } from '../adapters/effective-lists.js';
import { newRunId } from '../adapters/new-ids.js';
import { ScopeSettings } from '../adapters/scope-settings.js';
import { ScopeWrites } from '../adapters/scope-writes.js';
import type { Pipeline } from '../domain/call/pipeline.js';
import { LiveRuns } from '../domain/run/live-runs.js';
import { RunDesk } from '../domain/run/run-desk.js';
import { RunFrames } from '../domain/run/run-frames.js';
import { RunViews } from '../domain/run/run-views.js';
import { adminReceiptOf, governanceOf } from './calls.js';

/** Runs expire by the clock, and an announcement may be lost. */
const checkMs = 1_000;

export interface RunParts {
  readonly ledgerRuns: LedgerRuns;
  readonly scopes: ScopeSettings;
  readonly runs: RunFrames;
}

/** What calls and lists need of runs. */
export function assembleRuns({ bus, log }: ServiceContext): RunParts {
  const ledgerRuns = new LedgerRuns(bus, systemClock.now);
  const scopes = new ScopeSettings(bus, log);
  const runs = new RunFrames({ runs: ledgerRuns, scopes, clock: systemClock });
  return { ledgerRuns, scopes, runs };
}

/** Who opens and ends runs, what they leave of the catalog, and what follows their end. */
export function assembleRunDesk(
  context: ServiceContext,
  { ledgerRuns, scopes, runs }: RunParts,
  around: { readonly replica: CatalogReplica; readonly pdp: BusPdp; readonly pipeline: Pipeline },
) {
  const { bus, config } = context;
  const { profile } = config;
  const { now } = systemClock;
  const { replica, pdp, pipeline } = around;
  const changes = { changes: scopes, runChanges: ledgerRuns };
  const catalog = new EffectiveLists({ bus, replica, pdp, runs, now, ...changes });
  const runDesk = new RunDesk({
    runs: ledgerRuns,
    frames: runs,
    scopes,
    views: new RunViews({ frames: runs, catalog, clock: systemClock }),
    access: pdp,
    clock: systemClock,
    newRunId,
    receipt: adminReceiptOf(context),
  });
  const agentBook = new ScopeWrites({ bus, held: scopes, profile, governance: governanceOf(context), now });
  const liveRuns = new LiveRuns(runs, () => pipeline.calls);
  const check = (): void => liveRuns.check();
  scopes.onChange(check);
  ledgerRuns.onChange(check);
  const timer = setInterval(check, checkMs).unref();
  return {
    catalog,
    runDesk,
    agentBook,
    followRuns: () => scopes.start(),
    stopRuns: () => {
      clearInterval(timer);
      scopes.stop();
      ledgerRuns.close();
    },
  };
}
