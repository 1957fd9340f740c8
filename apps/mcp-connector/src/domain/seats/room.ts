/** A session that there is. */
export interface Held {
  readonly principal: string;
  /** Epoch milliseconds; undefined while a call runs in it, which nobody ends. */
  readonly idleSince: number | undefined;
}

export interface Bounds {
  /** Sessions of all principals. */
  readonly most: number;
  /** Of one principal. */
  readonly share: number;
}

/**
 * Which session ends so that a principal gets one more. At its share, one of its own. Where all are held, one of whoever has
 * the most, but nobody gives to somebody who has as many. Always the longest idle. `kept`: there is room without that.
 */
export function roomFor<H extends Held>(
  principal: string,
  held: readonly H[],
  { most, share }: Bounds,
): { readonly kind: 'kept' | 'full' } | { readonly kind: 'ends'; readonly one: H } {
  const counts = new Map<string, number>();
  for (const session of held) counts.set(session.principal, (counts.get(session.principal) ?? 0) + 1);
  const countOf = (of: string): number => counts.get(of) ?? 0;
  const own = countOf(principal);
  if (own < share && held.length < most) return { kind: 'kept' };
  const mayEnd = ({ principal: holder }: H): boolean =>
    holder === principal || (own < share && countOf(holder) > own);
  const [one] = held
    .filter((each) => each.idleSince !== undefined && mayEnd(each))
    .toSorted((a, b) => countOf(b.principal) - countOf(a.principal) || since(a) - since(b));
  return one === undefined ? { kind: 'full' } : { kind: 'ends', one };
}

function since({ idleSince = Infinity }: Held): number {
  return idleSince;
}
