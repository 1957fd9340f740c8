import type { AnswerOf, AskOf, RecordedDecision, RecordedFacts, replayDecisions } from '@uar/contracts';
import {
  onCandidate,
  type ActiveTexts,
  type CandidateBench,
  type CandidateParts,
  type SoundCandidate,
} from '../candidate-judge.js';
import type { Candidates } from '../lifecycle/candidates.js';
import { toolReads } from '../policy/tool-reads.js';
import { decideAgain, type Recalled, type Redecided } from './recalled-call.js';
import type { DecisionPage, RecordedDecisions } from './recorded-decisions.js';
import { Tally } from './tally.js';

type Ask = AskOf<typeof replayDecisions>;
type Answer = AnswerOf<typeof replayDecisions>;

export interface ReplayParts {
  readonly recorded: RecordedDecisions;
  readonly active: ActiveTexts;
  readonly candidates: Pick<Candidates, 'use'>;
  readonly candidate: CandidateParts;
  readonly now: () => number;
}

/** Decisions of one turn in the spare instance: whoever else wants it waits no longer than for these. */
const perTurn = 100;
/** Questions under way at once: the instance need not wait for the next one. */
const atOnce = 10;
/** Left for the answer itself. */
const marginMs = 2_000;

/** Decides what was recorded again, newest first, until `deadlineAt` (epoch milliseconds). */
export async function replay(parts: ReplayParts, ask: Ask, deadlineAt: number): Promise<Answer> {
  if (parts.active.textsOf(ask.tenant) === undefined)
    return { kind: 'unavailable', cause: 'policies_unavailable' };
  return parts.candidates.use(ask.tenant, ask.policies, async (sound) => {
    await parts.recorded.settle();
    return new Replay(parts, sound, deadlineAt - marginMs).run(ask);
  });
}

class Replay {
  readonly #tally = new Tally();
  /** Decisions that neither time nor run nor votes have a part in, by their facts. */
  readonly #known = new Map<string, Promise<Redecided>>();

  constructor(
    private readonly parts: ReplayParts,
    private readonly candidate: SoundCandidate,
    private readonly until: number,
  ) {}

  async run({ tenant, since, before, limit }: Ask): Promise<Answer> {
    let left = limit;
    let place = before;
    for (;;) {
      const page = await this.parts.recorded.page({
        tenant,
        limit: Math.min(left, perTurn),
        ...(since === undefined ? {} : { since }),
        ...(place === undefined ? {} : { before: place }),
      });
      if (page.kind === 'unavailable') return page;
      const turn = await onCandidate(this.candidate, this.parts.candidate, (bench) =>
        this.#turn(page, bench),
      );
      if (turn.kind === 'failed') return { kind: 'unavailable', cause: turn.message };
      const { version, done } = turn.value;
      if (done < page.decisions.length) return this.#answer(version, page.decisions[done - 1]?.seq ?? place);
      left -= done;
      place = page.next;
      if (left === 0 || place === undefined) return this.#answer(version, 'complete');
    }
  }

  /** As many decisions of the page as there is time for. */
  async #turn(
    page: Extract<DecisionPage, { kind: 'page' }>,
    bench: CandidateBench,
  ): Promise<{ readonly version: string; readonly done: number }> {
    let done = 0;
    while (done < page.decisions.length && this.parts.now() < this.until) {
      const decisions = page.decisions.slice(done, done + atOnce);
      const found = await Promise.all(
        decisions.map((decision) => this.#again({ decision, facts: factsOf(page, decision) }, bench)),
      );
      for (const [index, again] of found.entries()) {
        const decision = decisions[index];
        if (decision !== undefined) this.#tally.add(decision, again);
      }
      done += decisions.length;
    }
    return { version: bench.set.version, done };
  }

  #again(recalled: Recalled, bench: CandidateBench): Promise<Redecided> {
    const { decision, facts } = recalled;
    const isAlike =
      decision.stage === 'call' && !bench.set.readsRun && !toolReads(bench.set, facts.tool).time;
    if (!isAlike) return decideAgain(recalled, bench);
    // Whether the token had expired, or the engine failed, is no fact of the record but of the verdict.
    const { verdict } = decision;
    const key = `${decision.facts} ${verdict.kind === 'deny' ? verdict.cause : ''}`;
    const found = this.#known.get(key) ?? decideAgain(recalled, bench);
    this.#known.set(key, found);
    return found;
  }

  #answer(version: string, next: number | 'complete' | undefined): Answer {
    const isComplete = next === 'complete';
    const view = {
      version,
      ...this.#tally.view(),
      complete: isComplete,
      ...(isComplete || next === undefined ? {} : { next: String(next) }),
    };
    return { kind: 'replayed', view };
  }
}

function factsOf(page: Extract<DecisionPage, { kind: 'page' }>, decision: RecordedDecision): RecordedFacts {
  const facts = page.facts.get(decision.facts);
  if (facts === undefined) throw new Error(`decision ${decision.seq} rests on facts that are not there`);
  return facts;
}
