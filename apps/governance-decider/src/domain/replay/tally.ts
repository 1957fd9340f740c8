import type { RecordedDecision, RecordedVerdict, ReplayView } from '@uar/contracts';
import type { CallVerdict } from '../decide/verdict.js';
import type { Redecided } from './recalled-call.js';

type Counted = Pick<ReplayView, 'replayed' | 'changed' | 'undecided'>;
type Changed = ReplayView['changed'][number];

/** What a call was decided, and what it would be: nothing where both are the same. Who determined it is no difference. */
export function differenceOf(
  was: RecordedVerdict,
  wouldBe: CallVerdict,
): Omit<Changed, 'call_id' | 'stage'> | undefined {
  const before = was.kind === 'deny' ? was.outcome : undefined;
  const after = wouldBe.kind === 'deny' ? wouldBe.outcome : undefined;
  if (was.kind === wouldBe.kind && before === after) return undefined;
  return {
    was: was.kind,
    would_be: wouldBe.kind,
    ...(before === undefined ? {} : { was_outcome: before }),
    ...(after === undefined ? {} : { would_be_outcome: after }),
    policies: [...wouldBe.determining],
  };
}

/** What a replay has found so far. */
export class Tally {
  #replayed = 0;
  readonly #changed: Changed[] = [];
  readonly #undecided: ReplayView['undecided'] = [];

  add({ call_id, stage, verdict }: RecordedDecision, again: Redecided): void {
    switch (again.kind) {
      case 'decided': {
        this.#replayed += 1;
        const difference = differenceOf(verdict, again.verdict);
        if (difference !== undefined) this.#changed.push({ call_id, stage, ...difference });
        return;
      }
      case 'undecided':
        this.#undecided.push({ call_id, why: again.why, reads: [...again.reads] });
        return;
    }
  }

  view(): Counted {
    return { replayed: this.#replayed, changed: this.#changed, undecided: this.#undecided };
  }
}
