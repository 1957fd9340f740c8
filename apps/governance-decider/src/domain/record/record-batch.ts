import type { AskOf, recordDecisions } from '@uar/contracts';
import { DecisionCache } from '../decide/memory/decision-cache.js';
import type { CallVerdict } from '../decide/verdict.js';
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
  readonly #texts = new Map<string, FactsText>();
  #held = new DecisionCache<true>(rememberedDigests);

  /** Facts under one key are the same, so a decision from memory is not written out again. */
  textOf(note: DecisionNote): FactsText {
    const { key } = note.judged;
    if (key === undefined || note.votes !== undefined) return factsTextOf(note);
    const known = this.#texts.get(key);
    if (known !== undefined) return known;
    const text = factsTextOf(note);
    if (this.#texts.size >= rememberedFacts) this.#texts.clear();
    this.#texts.set(key, text);
    return text;
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
  readonly #groups = new Map<CallVerdict, readonly Group[]>();
  readonly #notes: DecisionNote[] = [];

  constructor(private readonly memory: FactsMemory) {}

  get isEmpty(): boolean {
    return this.#groups.size === 0;
  }

  add(note: DecisionNote, { digest, json }: FactsText): void {
    const { tenant } = note.question.caller.principal;
    if (!this.#facts.has(digest)) {
      this.#facts.set(digest, { tenant, digest, facts_json: json });
      this.chars += this.memory.isHeld(digest) ? 0 : json.length;
    }
    const group = this.#groupOf(note, digest);
    this.#notes.push(note);
    group.call_ids.push(note.question.call_id);
    group.times.push(note.at);
  }

  /** A verdict from memory is one object, so groups are looked for among few. */
  #groupOf(note: DecisionNote, facts: string): Group {
    const { verdict, version: policy_version } = note.judged;
    const { principal, run_id, session_id } = note.question.caller;
    const stage = note.votes === undefined ? 'call' : 'release';
    const alike = this.#groups.get(verdict) ?? [];
    const found = alike.find(
      (group) =>
        group.facts === facts &&
        group.run_id === run_id &&
        group.session_id === session_id &&
        group.stage === stage &&
        group.policy_version === policy_version,
    );
    if (found !== undefined) return found;
    const fresh: Group = {
      ...{ tenant: principal.tenant, stage, run_id, session_id, facts, policy_version },
      ...{ verdict: recordedVerdict(verdict), call_ids: [], times: [] },
    };
    this.#groups.set(verdict, [...alike, fresh]);
    return fresh;
  }

  build(): RecordBatch {
    const facts = [...this.#facts.values()].filter(({ digest }) => !this.memory.isHeld(digest));
    return {
      ask: { facts, groups: [...this.#groups.values()].flat() },
      facts: this.#facts,
      notes: this.#notes,
    };
  }
}
