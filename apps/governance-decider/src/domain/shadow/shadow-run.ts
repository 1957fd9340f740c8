import type { ShadowView } from '@uar/contracts';
import {
  onCandidate,
  type CandidateBench,
  type CandidateParts,
  type SoundCandidate,
} from '../candidate-judge.js';
import { CedarJudge } from '../decide/cedar-judge.js';
import { DecisionCache } from '../decide/memory/decision-cache.js';
import type { CallVerdict } from '../decide/verdict.js';
import { toolReads } from '../policy/tool-reads.js';
import { isDecided, type DecisionNote } from '../record/decision-note.js';
import { RecalledDirectory } from '../record/directory-facts.js';
import { NoteBuffer } from '../record/note-buffer.js';
import { recordedVerdict } from '../record/recorded-facts.js';
import { differenceOf } from '../replay/tally.js';

type Listed = ShadowView['listed'][number];

/** Calls that may wait, with 4 M characters of arguments; more than these are dropped. */
const bounds = { notes: 512, chars: 4 * 1024 * 1024 };
const mostListed = 200;
const rememberedVerdicts = 10_000;

/** One candidate beside the active set of its tenant, and what it would have decided. */
export class ShadowRun {
  readonly #waiting = new NoteBuffer(bounds);
  readonly #listed: Listed[] = [];
  #verdicts = new DecisionCache<CallVerdict>(rememberedVerdicts);
  #candidate: SoundCandidate | undefined;
  #evaluated = 0;
  #dropped = 0;
  #differences = 0;
  #problem: string | undefined;

  /** `revision`: of the setting that holds the candidate. */
  constructor(
    readonly revision: number,
    readonly countedSince: number,
  ) {}

  get isIdle(): boolean {
    return this.#waiting.size === 0;
  }

  push(note: DecisionNote): void {
    this.#waiting.push(note);
  }

  view(): Pick<ShadowView, 'evaluated' | 'dropped' | 'differences' | 'listed' | 'problem'> {
    this.#dropped += this.#waiting.takeDropped();
    return {
      evaluated: this.#evaluated,
      dropped: this.#dropped,
      differences: this.#differences,
      listed: this.#listed.toReversed(),
      ...(this.#problem === undefined ? {} : { problem: this.#problem }),
    };
  }

  /** Evaluates waiting calls: those that were evaluated alike at once, of the others the oldest. */
  async turn(candidate: SoundCandidate, parts: CandidateParts, most: number): Promise<void> {
    if (candidate !== this.#candidate) this.#verdicts = new DecisionCache(rememberedVerdicts);
    this.#candidate = candidate;
    const open = this.#waiting.take(this.#waiting.size).filter((note) => !this.#isKnown(note));
    const unknown = open.slice(0, most);
    this.#waiting.putBack(open.slice(most));
    if (unknown.length === 0) return;
    const turn = await onCandidate(candidate, parts, async (bench) => {
      for (const note of unknown) if (!this.#isKnown(note)) await this.#evaluate(note, bench);
    });
    if (turn.kind === 'done') this.#problem = undefined;
    else this.#fail(unknown.length, turn.message);
  }

  /** The candidate that was found sound last, where it is that of this version. */
  candidateOf(version: string): SoundCandidate | undefined {
    return this.#candidate?.set.version === version ? this.#candidate : undefined;
  }

  /** Whatever waits is not evaluated. */
  drop(problem: string): void {
    this.#dropped += this.#waiting.take(this.#waiting.size).length;
    this.#problem = problem;
  }

  #fail(dropped: number, problem: string): void {
    this.#dropped += dropped;
    this.#problem = problem;
  }

  /** Counted by a verdict that was found before. */
  #isKnown(note: DecisionNote): boolean {
    const known = note.judged.key === undefined ? undefined : this.#verdicts.find(note.judged.key);
    if (known !== undefined) this.#count(note, known);
    return known !== undefined;
  }

  async #evaluate(note: DecisionNote, { set, engine }: CandidateBench): Promise<void> {
    const judge = new CedarJudge({
      sets: { of: () => set },
      engine,
      directory: new RecalledDirectory(note.directory),
      profile: note.profile,
      now: () => note.at,
      remembered: 0,
    });
    const { verdict } = await judge.judgeCall(note.question);
    if (!isDecided(verdict)) {
      this.#dropped += 1;
      return;
    }
    this.#count(note, verdict);
    const { key } = note.judged;
    const isRepeatable = !set.readsRun && !toolReads(set, note.question.tool).time;
    if (key !== undefined && isRepeatable) this.#verdicts.store(key, verdict);
  }

  #count(note: DecisionNote, wouldBe: CallVerdict): void {
    this.#evaluated += 1;
    const difference = differenceOf(recordedVerdict(note.judged.verdict), wouldBe);
    if (difference === undefined) return;
    this.#differences += 1;
    const { call_id, tool } = note.question;
    const at = new Date(note.at).toISOString();
    this.#listed.push({ call_id, at, tool: `${tool.server}/${tool.raw_name}`, ...difference });
    if (this.#listed.length > mostListed) this.#listed.shift();
  }
}
