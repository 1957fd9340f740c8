import type { Bus } from '@uar/bus';
import {
  TenantId,
  readDecisions,
  readSettings,
  recordDecisions,
  settingsChanged,
  writeSetting,
  type AnswerOf,
  type AskOf,
  type ReceiptBody,
  type RecordedDecision,
  type Setting,
} from '@uar/contracts';

type RecordAsk = AskOf<typeof recordDecisions>;

/** The half of the approval-service that keeps settings and decisions, in memory. */
export class DecisionsLedger {
  readonly decisions: { readonly tenant: string; readonly decision: RecordedDecision }[] = [];
  readonly facts = new Map<string, string>();
  readonly receipts: ReceiptBody[] = [];
  readonly asks: RecordAsk[] = [];
  readonly #settings = new Map<string, Setting>();
  #listeners: (() => void)[] = [];

  constructor(private readonly bus: Bus) {
    bus.answer(readSettings, ({ namespace }) => ({
      settings: [...this.#settings.values()].filter((setting) => setting.namespace === namespace),
    }));
    bus.answer(writeSetting, (ask) => this.#write(ask));
    bus.answer(recordDecisions, (ask) => this.#record(ask));
    bus.answer(readDecisions, (ask) => this.#page(ask));
  }

  put(tenant: string, namespace: string, entry: { readonly key: string; readonly value: unknown }): void {
    this.#write({ tenant: TenantId.parse(tenant), namespace, ...entry, if_revision: 0 });
  }

  /** Resolves once so many decisions are here. */
  async holds(count: number): Promise<void> {
    while (this.decisions.length < count) await new Promise<void>((resolve) => this.#listeners.push(resolve));
  }

  #write({
    receipt,
    if_revision,
    value,
    ...place
  }: AskOf<typeof writeSetting>): AnswerOf<typeof writeSetting> {
    const id = JSON.stringify([place.tenant, place.namespace, place.key]);
    const current = this.#settings.get(id)?.revision ?? 0;
    if (current !== if_revision) return { kind: 'conflict', revision: current };
    const revision = current + 1;
    if (value === null || value === undefined) this.#settings.delete(id);
    else this.#settings.set(id, { ...place, revision, value });
    if (receipt !== undefined) this.receipts.push(receipt);
    this.bus.announce(settingsChanged, place);
    return { kind: 'written', revision };
  }

  #record(ask: RecordAsk): AnswerOf<typeof recordDecisions> {
    this.asks.push(ask);
    for (const { digest, facts_json } of ask.facts) this.facts.set(digest, facts_json);
    const missing = new Set<string>();
    for (const { tenant, call_ids, times, ...decided } of ask.groups) {
      if (!this.facts.has(decided.facts)) missing.add(decided.facts);
      else
        for (const [index, call_id] of call_ids.entries()) {
          const call = { seq: this.decisions.length + 1, call_id, at: times[index] ?? 0 };
          this.decisions.push({ tenant, decision: { ...call, ...decided } });
        }
    }
    const waiting = this.#listeners;
    this.#listeners = [];
    for (const resolve of waiting) resolve();
    return { missing: [...missing] };
  }

  #page({
    tenant,
    since = 0,
    before = Infinity,
    limit,
  }: AskOf<typeof readDecisions>): AnswerOf<typeof readDecisions> {
    const own = this.decisions
      .filter((one) => one.tenant === tenant)
      .map(({ decision }) => decision)
      .filter((one) => one.at >= since && one.seq < before)
      .toReversed()
      .slice(0, limit);
    const digests = [...new Set(own.map(({ facts }) => facts))];
    const oldest = own.length < limit ? undefined : own.at(-1)?.seq;
    return {
      decisions: own,
      facts: digests.map((digest) => ({ digest, facts_json: this.facts.get(digest) ?? '' })),
      ...(oldest === undefined ? {} : { next: oldest }),
    };
  }
}
