import type { AskOf, recordDecisions } from '@uar/contracts';
import { DecisionCache } from '../decide/decision-cache.js';
import type { DecisionNote } from './decision-note.js';
import { factsTextOf, recordedVerdict, type FactsText } from './recorded-facts.js';

export type RecordAsk = AskOf<typeof recordDecisions>;
type Group = RecordAsk['groups'][number];

/** What one ask to the ledger carries. */
export interface RecordBatch {
  readonly ask: RecordAsk;
  /** All facts of the batch by digest, those too that the ask leaves out because the ledger has them. */
  readonly facts: ReadonlyMap<string, RecordAsk['facts'][number]>;
  readonly notes: readonly DecisionNote[];
}

const maxFactsChars = 65_536;
const maxBatchChars = 512 * 1024;
const rememberedFacts = 2_000;
const rememberedDigests = 20_000;

/** Facts that were written out lately, and which of them the ledger holds. */
export class FactsMemory {
  readonly #texts = new DecisionCache<FactsText>(rememberedFacts);
  #held = new DecisionCache<true>(rememberedDigests);

  /** Facts under one key are the same, so a decision from memory is not written out again. */
  textOf(note: DecisionNote): FactsText {
    const { key } = note.judged;
    if (key === undefined || note.votes !== undefined) return factsTextOf(note);
    const known = this.#texts.find(key) ?? factsTextOf(note);
    this.#texts.store(key, known);
    return known;
  }

  isHeld(digest: string): boolean {
    return this.#held.find(digest) === true;
  }

  hold(digests: Iterable<string>): void {
    for (const digest of digests) this.#held.store(digest, true);
  }

  /** The ledger lost some: nobody knows which else. */
  holdNothing(): void {
    this.#held = new DecisionCache(rememberedDigests);
  }
}

/** Notes as asks of bounded size; decisions alike stand in one group. `tooLarge` hears of each note that no ask can carry. */
export function* batchesOf(
  notes: readonly DecisionNote[],
  memory: FactsMemory,
  tooLarge: () => void,
): Generator<RecordBatch> {
  let batch = new BatchBuilder(memory);
  for (const note of notes) {
    const text = memory.textOf(note);
    if (text.json.length > maxFactsChars) tooLarge();
    else batch.add(note, text);
    if (batch.chars < maxBatchChars) continue;
    yield batch.build();
    batch = new BatchBuilder(memory);
  }
  if (!batch.isEmpty) yield batch.build();
}

/** The groups of facts that the ledger turned out to lack, with their facts. */
export function completed({ ask, facts }: RecordBatch, missing: readonly string[]): RecordAsk {
  return {
    facts: missing.flatMap((digest) => facts.get(digest) ?? []),
    groups: ask.groups.filter((group) => missing.includes(group.facts)),
  };
}

class BatchBuilder {
  chars = 0;
  readonly #facts = new Map<string, RecordAsk['facts'][number]>();
  readonly #groups = new Map<string, Group>();
  readonly #notes: DecisionNote[] = [];

  constructor(private readonly memory: FactsMemory) {}

  get isEmpty(): boolean {
    return this.#groups.size === 0;
  }

  add(note: DecisionNote, { digest, json }: FactsText): void {
    const { principal, run_id, session_id } = note.question.caller;
    if (!this.#facts.has(digest)) {
      this.#facts.set(digest, { tenant: principal.tenant, digest, facts_json: json });
      this.chars += this.memory.isHeld(digest) ? 0 : json.length;
    }
    const decided: Omit<Group, 'calls'> = {
      tenant: principal.tenant,
      stage: note.votes === undefined ? 'call' : 'release',
      ...{ run_id, session_id, facts: digest },
      policy_version: note.judged.version,
      verdict: recordedVerdict(note.judged.verdict),
    };
    const key = JSON.stringify(decided);
    const group = this.#groups.get(key) ?? { ...decided, calls: [] };
    this.#notes.push(note);
    group.calls.push({ call_id: note.question.call_id, at: note.at });
    this.#groups.set(key, group);
  }

  build(): RecordBatch {
    const facts = [...this.#facts.values()].filter(({ digest }) => !this.memory.isHeld(digest));
    return { ask: { facts, groups: [...this.#groups.values()] }, facts: this.#facts, notes: this.#notes };
  }
}
