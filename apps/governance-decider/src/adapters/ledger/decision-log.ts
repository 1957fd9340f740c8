import type { Bus } from '@uar/bus';
import { RecordedFacts, readDecisions, recordDecisions, type AskOf } from '@uar/contracts';
import type { Log } from '@uar/telemetry';
import type { DecisionListener, DecisionNote } from '../../domain/record/decision-note.js';
import { NoteBuffer } from '../../domain/record/note-buffer.js';
import {
  FactsMemory,
  batchesOf,
  completed,
  type RecordAsk,
  type RecordBatch,
} from '../../domain/record/record-batch.js';
import type { DecisionPage, RecordedDecisions } from '../../domain/replay/recorded-decisions.js';

const flushAt = 256;
const flushMs = 250;
const retryMs = 1_000;
const reportMs = 60_000;
const bounds = { notes: 4_096, chars: 16 * 1024 * 1024 };

/** Takes decisions to the ledger in batches, and back from there. What cannot be taken is counted, never waited for. */
export class DecisionLog implements DecisionListener, RecordedDecisions {
  readonly #waiting = new NoteBuffer(bounds);
  readonly #memory = new FactsMemory();
  readonly #report: NodeJS.Timeout;
  #lost = 0;
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> | undefined;
  #isLedgerAway = false;
  #isStopped = false;

  constructor(private readonly parts: { readonly bus: Bus; readonly log: Pick<Log, 'warn'> }) {
    this.#report = setInterval(() => this.#sayLost(), reportMs).unref();
  }

  take(note: DecisionNote): void {
    this.#waiting.push(note);
    if (this.#waiting.size >= flushAt && !this.#isLedgerAway) void this.settle();
    else this.#flushIn(flushMs);
  }

  /** Resolves once everything taken so far is in the ledger, or lost. */
  settle(): Promise<void> {
    this.#flushing ??= this.#flush().finally(() => {
      this.#flushing = undefined;
    });
    return this.#flushing;
  }

  async page(ask: AskOf<typeof readDecisions>): Promise<DecisionPage> {
    const reply = await this.parts.bus.ask(readDecisions, ask);
    if (reply.kind === 'fault') return { kind: 'unavailable', cause: reply.fault };
    const { decisions, facts, next } = reply.value;
    const known = new Map(
      facts.map(({ digest, facts_json }) => [digest, RecordedFacts.parse(JSON.parse(facts_json))]),
    );
    return { kind: 'page', decisions, facts: known, ...(next === undefined ? {} : { next }) };
  }

  async stop(): Promise<void> {
    await this.settle();
    this.#isStopped = true;
    clearTimeout(this.#timer);
    clearInterval(this.#report);
    this.#sayLost();
  }

  async #flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isLedgerAway = false;
    while (this.#waiting.size > 0 && !this.#isLedgerAway) {
      const notes = this.#waiting.take(flushAt);
      const batches = [...batchesOf(notes, this.#memory, () => (this.#lost += 1))];
      await this.#recordAll(batches);
    }
  }

  /** What certainly did not reach the ledger waits for it; what may have reached it is not said twice. */
  async #recordAll(batches: readonly RecordBatch[]): Promise<void> {
    for (const [at, batch] of batches.entries()) {
      const recorded = await this.#record(batch);
      if (recorded === 'lost') this.#lost += batch.notes.length;
      if (recorded !== 'not_reached') continue;
      this.#waiting.putBack(batches.slice(at).flatMap(({ notes }) => notes));
      this.#isLedgerAway = true;
      this.#flushIn(retryMs);
      return;
    }
  }

  async #record(batch: RecordBatch): Promise<'recorded' | 'not_reached' | 'lost'> {
    const reply = await this.parts.bus.ask(recordDecisions, batch.ask);
    if (reply.kind === 'fault')
      return reply.beforeDispatch || reply.fault === 'no_responders' ? 'not_reached' : 'lost';
    const { missing } = reply.value;
    if (missing.length > 0) return this.#recordAgain(completed(batch, missing));
    this.#memory.hold(batch.facts.keys());
    return 'recorded';
  }

  async #recordAgain(ask: RecordAsk): Promise<'recorded' | 'lost'> {
    this.#memory.holdNothing();
    const reply = await this.parts.bus.ask(recordDecisions, ask);
    return reply.kind === 'answered' && reply.value.missing.length === 0 ? 'recorded' : 'lost';
  }

  #flushIn(ms: number): void {
    if (this.#isStopped || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.settle();
    }, ms).unref();
  }

  #sayLost(): void {
    const lost = this.#lost + this.#waiting.takeDropped();
    this.#lost = 0;
    if (lost > 0) this.parts.log.warn({ decisions: lost }, 'decisions were not recorded');
  }
}
