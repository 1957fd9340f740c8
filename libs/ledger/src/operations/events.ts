import { EventRun, type KeptGroup, type PlacedGroup, type TenantId } from '@uar/contracts';
import type { SqlDatabase } from '../sql/database.js';
import type { Input, Output, Store } from '../store.js';

const mostOfRun = 1_000;
const mostOfTenant = 100_000;
const keptMs = 24 * 3_600_000;
/** A run can live for 30 days; where it ended stays known for longer than it and its events. */
const placesKeptMs = 32 * 24 * 3_600_000;
const forgottenAtOnce = 500;
/** About the longest page, in characters of sealed text. */
const pageLength = 512 * 1024;

type Group = Input<'appendEvents'>['groups'][number];
type Read = Input<'readEvents'>;

interface Row {
  readonly id: number;
  readonly tenant: TenantId;
  readonly last_position: number;
  readonly run_id: string | null;
  readonly last_seq: number | null;
  readonly count: number;
  readonly owner: string | null;
  readonly sealed_events: string;
}

interface EventsStore extends Pick<Store, 'appendEvents' | 'readEvents'> {
  /** Forgets what is too old; answers how many groups. */
  purgeEvents(now: number): number;
}

/** Events arrive sealed, groups at a time; this side places them and never sees what they say. */
export function eventsStore(database: SqlDatabase): EventsStore {
  const places = placesOf(database);
  const window = windowOf(database, places);
  return {
    appendEvents: ({ groups, from, now }) => {
      if (from !== undefined && !places.isNews(from, now)) return [];
      return groups.map((group) => window.add(group, now));
    },
    readEvents: (ask) => window.read(ask),
    purgeEvents: (now) => {
      places.forget(now);
      return window.purge(now);
    },
  };
}

type Places = ReturnType<typeof placesOf>;

/** Counters that outlive what they counted. */
function placesOf(database: SqlDatabase) {
  const sql = placeStatements(database);
  return {
    tenant: (id: string) => sql.tenant.get(id) ?? { position: 0, dropped: 0, floor: 0 },
    advance: (id: string, count: number) => sql.advance.get(id, count)?.position ?? count,
    drop: (id: string, position: number) => sql.drop.run({ tenant: id, position }),
    run: (id: string, runId: string) => sql.run.get(id, runId),
    advanceRun: (group: Group & { readonly run: EventRun }, now: number): number => {
      const { tenant: id, count, run: at } = group;
      const before = sql.run.get(id, at.run_id)?.seq ?? sql.tenant.get(id)?.floor ?? 0;
      sql.advanceRun.run(id, at.run_id, before + 1, before + count, now);
      return before + count;
    },
    isNews: ({ source, batch }: NonNullable<Input<'appendEvents'>['from']>, now: number) =>
      sql.note.run(source, batch, now).changes === 1,
    forget: (now: number) => {
      sql.raiseFloor.run({ before: now - placesKeptMs });
      sql.forgetRuns.run(now - placesKeptMs);
      sql.forgetSources.run(now - keptMs);
    },
  };
}

function placeStatements(database: SqlDatabase) {
  const tenant = database.prepare<[string], { position: number; dropped: number; floor: number }>(
    'SELECT position, dropped, floor FROM event_tenants WHERE tenant = ?',
  );
  const advance = database.prepare<[string, number], { position: number }>(
    `INSERT INTO event_tenants (tenant, position, dropped, floor) VALUES (?, ?, 0, 0)
     ON CONFLICT (tenant) DO UPDATE SET position = event_tenants.position + excluded.position RETURNING position`,
  );
  const drop = database.prepare<{ tenant: string; position: number }>(
    'UPDATE event_tenants SET dropped = @position WHERE tenant = @tenant AND dropped < @position',
  );
  const run = database.prepare<[string, string], { seq: number; begins: number }>(
    'SELECT seq, begins FROM event_runs WHERE tenant = ? AND run_id = ?',
  );
  const advanceRun = database.prepare<[string, string, number, number, number]>(
    `INSERT INTO event_runs (tenant, run_id, begins, seq, at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (tenant, run_id) DO UPDATE SET seq = excluded.seq, at = excluded.at`,
  );
  // The runs that are forgotten leave the highest of their places: whichever of them comes back goes on above it.
  const highest =
    'SELECT max(seq) FROM event_runs WHERE event_runs.tenant = event_tenants.tenant AND at < @before';
  const raiseFloor = database.prepare<{ before: number }>(
    `UPDATE event_tenants SET floor = (${highest}) WHERE floor < (${highest})
       AND tenant IN (SELECT tenant FROM event_runs WHERE at < @before)`,
  );
  const forgetRuns = database.prepare<[number]>('DELETE FROM event_runs WHERE at < ?');
  const forgetSources = database.prepare<[number]>('DELETE FROM event_sources WHERE at < ?');
  const note = database.prepare<[string, number, number]>(
    `INSERT INTO event_sources (source, batch, at) VALUES (?, ?, ?)
     ON CONFLICT (source) DO UPDATE SET batch = excluded.batch, at = excluded.at
     WHERE event_sources.batch < excluded.batch`,
  );
  return { tenant, advance, drop, run, advanceRun, raiseFloor, forgetRuns, forgetSources, note };
}

function windowOf(database: SqlDatabase, places: Places) {
  const sql = windowStatements(database);
  const forget = (tenant: string, { id, last_position }: { id: number; last_position: number }): void => {
    sql.remove.run(id);
    places.drop(tenant, last_position);
  };
  return {
    add: (group: Group, now: number): PlacedGroup => {
      const { tenant, run, count, events_json } = group;
      const position = places.advance(tenant, count);
      const seq = run === undefined ? undefined : places.advanceRun({ ...group, run }, now);
      const owner = run === undefined ? null : JSON.stringify(run.owner);
      sql.insert.run(tenant, position, run?.run_id ?? null, seq ?? null, count, now, owner, events_json);
      if (run !== undefined && seq !== undefined)
        for (const row of sql.beyondRun.all(tenant, run.run_id, seq - mostOfRun)) forget(tenant, row);
      for (const row of sql.beyondTenant.all(tenant, position - mostOfTenant)) forget(tenant, row);
      return placed({ position, seq, run, count });
    },
    read: (ask: Read): Output<'readEvents'> => {
      const { tenant, run_id, after } = ask;
      const rows =
        run_id === undefined ? sql.ofTenant.iterate(tenant, after) : sql.ofRun.iterate(tenant, run_id, after);
      const { groups, more } = pageOf(rows);
      return { groups, more, ...edgesOf(places, ask, groups[0]) };
    },
    purge: (now: number): number => {
      const gone = sql.oldest.all(forgottenAtOnce, now - keptMs);
      for (const row of gone) forget(row.tenant, row);
      return gone.length;
    },
  };
}

function windowStatements(database: SqlDatabase) {
  const columns =
    'rowid AS id, tenant, last_position, run_id, last_seq, count, owner, sealed_events FROM event_groups';
  const insert = database.prepare<
    [string, number, string | null, number | null, number, number, string | null, string]
  >(
    `INSERT INTO event_groups (tenant, last_position, run_id, last_seq, count, at, owner, sealed_events)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const ofRun = database.prepare<[string, string, number], Row>(
    `SELECT ${columns} WHERE tenant = ? AND run_id = ? AND last_seq > ? ORDER BY last_seq`,
  );
  const ofTenant = database.prepare<[string, number], Row>(
    `SELECT ${columns} WHERE tenant = ? AND last_position > ? ORDER BY last_position`,
  );
  const beyondRun = database.prepare<[string, string, number], { id: number; last_position: number }>(
    'SELECT rowid AS id, last_position FROM event_groups WHERE tenant = ? AND run_id = ? AND last_seq <= ?',
  );
  const beyondTenant = database.prepare<[string, number], { id: number; last_position: number }>(
    'SELECT rowid AS id, last_position FROM event_groups WHERE tenant = ? AND last_position <= ?',
  );
  const oldest = database.prepare<[number, number], { id: number; tenant: string; last_position: number }>(
    `SELECT id, tenant, last_position FROM (
       SELECT rowid AS id, tenant, last_position, at FROM event_groups ORDER BY rowid LIMIT ?) AS aged WHERE at < ?`,
  );
  const remove = database.prepare<[number]>('DELETE FROM event_groups WHERE rowid = ?');
  return { insert, ofRun, ofTenant, beyondRun, beyondTenant, oldest, remove };
}

function placed(at: {
  readonly position: number;
  readonly seq: number | undefined;
  readonly run: EventRun | undefined;
  readonly count: number;
}): PlacedGroup {
  const { position, seq, run, count } = at;
  return {
    ...(run === undefined ? {} : { run }),
    ...(seq === undefined ? {} : { seq: seq - count + 1 }),
    position: position - count + 1,
    count,
  };
}

/** As many groups as one answer may hold, at least one. */
function pageOf(rows: IterableIterator<Row>): { groups: KeptGroup[]; more: boolean } {
  const groups: KeptGroup[] = [];
  let length = 0;
  for (const row of rows) {
    length += row.sealed_events.length;
    if (groups.length > 0 && length > pageLength) return { groups, more: true };
    groups.push(keptGroup(row));
  }
  return { groups, more: false };
}

function keptGroup({ last_position, run_id, last_seq, count, owner, sealed_events }: Row): KeptGroup {
  const run = run_id === null ? undefined : EventRun.parse({ run_id, owner: JSON.parse(owner ?? '{}') });
  const place = placed({ position: last_position, seq: last_seq ?? undefined, run, count });
  return { ...place, events_json: sealed_events };
}

/** The newest place there ever was, and whether something after `after` is missing before the first group that is kept. */
function edgesOf(
  places: Places,
  { tenant, run_id, after }: Read,
  first: KeptGroup | undefined,
): { last: number; lost: boolean } {
  if (run_id === undefined) {
    const { position, dropped } = places.tenant(tenant);
    return { last: position, lost: after < dropped };
  }
  const place = places.run(tenant, run_id);
  if (place === undefined) return { last: 0, lost: false };
  const { seq: last, begins } = place;
  const follows = first?.seq ?? last + 1;
  return { last, lost: after < last && follows > Math.max(after + 1, begins) };
}
