import { RecordedDecision, type CallId, type TenantId } from '@uar/contracts';
import type { SqlDatabase } from '../sql/database.js';
import type { Input, Store } from '../store.js';

const mostDecisions = 100_000;
const keptMs = 7 * 24 * 3_600_000;
const agedAtOnce = 500;

type Group = Input<'recordDecisions'>['groups'][number];

interface Row {
  seq: number;
  call_id: CallId;
  at: number;
  facts: number;
  decided: string;
}

interface DecisionsStore extends Pick<Store, 'recordDecisions' | 'readDecisions'> {
  /** Forgets what is too old; answers how many decisions. */
  purgeDecisions(now: number): number;
}

/** Facts arrive sealed: this side never sees what decisions rest on. */
export function decisionsStore(database: SqlDatabase): DecisionsStore {
  const rows = rowsOf(database);
  return {
    recordDecisions: ({ facts, groups, now }) => {
      for (const { tenant, digest, facts_json } of facts) rows.keepFacts.run(tenant, digest, facts_json);
      const missing = new Set<string>();
      for (const group of groups) {
        const found = rows.findFacts.get(group.tenant, group.facts);
        if (found === undefined) missing.add(group.facts);
        else keepGroup(rows, group, found.id);
      }
      rows.forget(rows.beyond.all(mostDecisions));
      purge(rows, now);
      rows.dropUnused(facts.map(({ tenant, digest }) => rows.findFacts.get(tenant, digest)?.id));
      return { missing: [...missing] };
    },
    readDecisions: ({ tenant, since = 0, before = Number.MAX_SAFE_INTEGER, limit }) => {
      const found = rows.page.all(tenant, before, since, limit);
      const oldest = found.length < limit ? undefined : found.at(-1)?.seq;
      return { ...pageOf(rows, found), ...(oldest === undefined ? {} : { next: oldest }) };
    },
    purgeDecisions: (now) => purge(rows, now),
  };
}

type Rows = ReturnType<typeof rowsOf>;

function rowsOf(database: SqlDatabase) {
  const isUsed = database.prepare<[number]>('SELECT 1 FROM decisions WHERE facts = ? LIMIT 1');
  const dropFacts = database.prepare<[number]>('DELETE FROM decision_facts WHERE id = ?');
  const drop = database.prepare<[number]>('DELETE FROM decisions WHERE seq = ?');
  const dropUnused = (ids: readonly (number | undefined)[]) => {
    for (const id of new Set(ids)) if (id !== undefined && isUsed.get(id) === undefined) dropFacts.run(id);
  };
  return {
    dropUnused,
    forget: (gone: readonly { seq: number; facts: number }[]) => {
      for (const { seq } of gone) drop.run(seq);
      dropUnused(gone.map(({ facts }) => facts));
      return gone.length;
    },
    keepFacts: database.prepare<[string, string, string]>(
      'INSERT INTO decision_facts (tenant, digest, sealed_facts) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
    ),
    findFacts: database.prepare<[string, string], { id: number }>(
      'SELECT id FROM decision_facts WHERE tenant = ? AND digest = ?',
    ),
    readFacts: database.prepare<[number], { digest: string; facts_json: string }>(
      'SELECT digest, sealed_facts AS facts_json FROM decision_facts WHERE id = ?',
    ),
    keep: database.prepare<[string, CallId, number, number, string]>(
      'INSERT INTO decisions (tenant, call_id, at, facts, decided) VALUES (?, ?, ?, ?, ?)',
    ),
    page: database.prepare<[TenantId, number, number, number], Row>(
      `SELECT seq, call_id, at, facts, decided FROM decisions
       WHERE tenant = ? AND seq < ? AND at >= ? ORDER BY seq DESC LIMIT ?`,
    ),
    beyond: database.prepare<[number], { seq: number; facts: number }>(
      'SELECT seq, facts FROM decisions WHERE seq <= (SELECT max(seq) FROM decisions) - ?',
    ),
    oldest: database.prepare<[number, number], { seq: number; facts: number }>(
      `SELECT seq, facts FROM (SELECT seq, facts, at FROM decisions ORDER BY seq LIMIT ?) AS aged WHERE at < ?`,
    ),
  };
}

function keepGroup(rows: Rows, group: Group, factsId: number): void {
  const { tenant, stage, run_id, session_id, policy_version, verdict, call_ids, times } = group;
  const decided = JSON.stringify({ stage, run_id, session_id, policy_version, verdict });
  for (const [index, callId] of call_ids.entries())
    rows.keep.run(tenant, callId, times[index] ?? 0, factsId, decided);
}

function purge(rows: Rows, now: number): number {
  return rows.forget(rows.oldest.all(agedAtOnce, now - keptMs));
}

function pageOf(
  rows: Rows,
  found: readonly Row[],
): { decisions: RecordedDecision[]; facts: { digest: string; facts_json: string }[] } {
  const facts = new Map<number, { digest: string; facts_json: string }>();
  for (const { facts: id } of found) {
    const kept = facts.has(id) ? undefined : rows.readFacts.get(id);
    if (kept !== undefined) facts.set(id, kept);
  }
  const decisions = found.map(({ seq, call_id, at, facts: id, decided }) =>
    RecordedDecision.parse({ ...JSON.parse(decided), seq, call_id, at, facts: facts.get(id)?.digest }),
  );
  return { decisions, facts: [...facts.values()] };
}
