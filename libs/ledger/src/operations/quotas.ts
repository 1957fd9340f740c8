import type { SqlDatabase } from '../sql/database.js';
import type { Input, Output, Store } from '../store.js';

type Take = Input<'takeQuota'>['takes'][number];
type Taken = Output<'takeQuota'>['taken'][number];

interface Row {
  readonly ends_at: number;
  readonly spent: number;
}

/** What is spent of each bucket in its present window. */
export function quotasStore(database: SqlDatabase): Pick<Store, 'takeQuota'> {
  // A window that ends later than the next one does is left from a clock that was wrong.
  const find = database.prepare<{ quota: string; bucket: string; window_ms: number; now: number }, Row>(
    `SELECT ends_at, spent FROM quota_spent WHERE quota = @quota AND bucket = @bucket AND window_ms = @window_ms
       AND ends_at > @now AND ends_at <= @now + 2 * @window_ms`,
  );
  const put = database.prepare<[string, string, number, number, number]>(
    `INSERT INTO quota_spent (quota, bucket, window_ms, ends_at, spent) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (quota, bucket) DO UPDATE SET window_ms = excluded.window_ms, ends_at = excluded.ends_at, spent = excluded.spent`,
  );
  const takeOne = (take: Take, now: number): Taken => {
    const { quota, bucket, window_ms } = take;
    const row = find.get({ quota, bucket, window_ms, now });
    const ends_at = row?.ends_at ?? (Math.floor(now / window_ms) + 1) * window_ms;
    const back = take.back?.ends_at === ends_at ? take.back.units : 0;
    const spent = Math.max(0, (row?.spent ?? 0) - back);
    const granted = grantOf(take, Math.max(0, take.calls - spent));
    if (granted > 0 || back > 0) put.run(quota, bucket, window_ms, ends_at, spent + granted);
    return { granted, ends_at, resets_in_ms: ends_at - now };
  };
  return { takeQuota: ({ takes, now }) => ({ taken: takes.map((take) => takeOne(take, now)) }) };
}

/** Near the end nobody holds back what others need: ahead of need half of what is left, at most. */
function grantOf({ needed, units }: Take, left: number): number {
  return Math.min(left, units, Math.max(needed, Math.floor(left / 2)));
}
