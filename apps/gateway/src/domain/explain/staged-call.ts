import type { CallId, Caller, CatalogEntry } from '@uar/contracts';
import type { Ending } from '../call/ending.js';
import type { Pdp } from '../call/ports.js';
import type { ProposedCall } from '../call/proposed-call.js';
import { RunningCall } from '../call/running-call.js';
import { Staging } from '../call/staging.js';

/** What the stages before the PDP make of a call that nobody makes. */
export interface StagedPreview {
  readonly entry: CatalogEntry | undefined;
  /** The caller as the run leaves it. */
  readonly caller: Caller;
  /** Absent: the call gets to the PDP. */
  readonly refusal?: Ending;
  /** The refusal is told only to somebody who may discover the tool; to everybody else there is no such tool. */
  readonly needsSight: boolean;
}

export type PreviewParts = Omit<ConstructorParameters<typeof Staging>[0], 'pdp'>;

const noCall = `call_${'0'.repeat(32)}` as CallId;

/** Its time is none, and nobody hears of it. */
const nowhere = { clock: { now: () => 0 }, events: { note: () => undefined } };

/** Stages 2 to 4 by the code that every call passes. Whether the tool is seen is asked later: here it always is. */
export async function stageCall(parts: PreviewParts, proposed: ProposedCall): Promise<StagedPreview> {
  let needsSight = false;
  const pdp: Pick<Pdp, 'discovers'> = {
    discovers: () => {
      needsSight = true;
      return Promise.resolve('visible');
    },
  };
  const call = new RunningCall(noCall, proposed, nowhere);
  const staged = await new Staging({ ...parts, pdp }).stage(call);
  const found = { entry: call.entry, caller: call.caller, needsSight };
  return staged.kind === 'passed' ? found : { ...found, refusal: staged.ending };
}
